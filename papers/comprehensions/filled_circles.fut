-- Filled circles, line by line.
-- ==
-- input { 5i64 7i64 [[2i32, 2i32, 2i32], [5i32, 1i32, 1i32]] }
-- output { [[0i32, 0i32, 1i32, 0i32, 0i32, 2i32, 0i32],
--           [0i32, 1i32, 1i32, 1i32, 2i32, 2i32, 2i32],
--           [1i32, 1i32, 1i32, 1i32, 1i32, 2i32, 0i32],
--           [0i32, 1i32, 1i32, 1i32, 0i32, 0i32, 0i32],
--           [0i32, 0i32, 1i32, 0i32, 0i32, 0i32, 0i32]] }
-- input { 1i64 3i64 [[1i32, 0i32, 0i32]] } output { [[0i32, 1i32, 0i32]] }
-- input { 2i64 2i64 empty([0][3]i32) } output { [[0i32, 0i32], [0i32, 0i32]] }
-- input { 1i64 1i64 [[0i32, 0i32, -1i32]] } error: is invalid

type circle = {x: i32, y: i32, r: i32}

def circle_of (c: [3]i32) : circle = {x = c[0], y = c[1], r = c[2]}

-- Half the width of the circle, dy lines away from its centre.
def half_width (c: circle) (dy: i32) : i32 = i32.f64 (f64.sqrt (f64.i32 (c.r * c.r - dy * dy)))

def main [n] (height: i64) (width: i64) (circles: [n][3]i32) : [height][width]i32 =
  let drawn =
    [ ((i64.i32 (c.y + dy), i64.i32 (c.x + dx)), i32.i64 k + 1)
    | (c <- map circle_of circles | k <- 0..<n),
      dy <- -c.r...c.r, dx <- -(half_width c dy)...half_width c dy ]
  let (places, numbers) = unzip drawn
  in reduce_by_index_2d (replicate height (replicate width 0)) i32.max 0 places numbers
