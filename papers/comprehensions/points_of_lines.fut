-- The points of lines (paper 004, section 5), and an image of them.
--
-- A line from (x1, y1) to (x2, y2) has a point for each step along its longer side, so the
-- number of points depends on the line.
-- ==
-- input { 4i64 6i64 [[0i32, 0i32, 5i32, 3i32], [1i32, 3i32, 1i32, 1i32], [4i32, 0i32, 4i32, 0i32]] }
-- output { [[1i32, 0i32, 0i32, 0i32, 3i32, 0i32],
--           [0i32, 2i32, 1i32, 0i32, 0i32, 0i32],
--           [0i32, 2i32, 0i32, 1i32, 1i32, 0i32],
--           [0i32, 2i32, 0i32, 0i32, 0i32, 1i32]] }
-- input { 2i64 3i64 [[-2i32, -1i32, 4i32, 2i32]] }
-- output { [[1i32, 0i32, 0i32], [0i32, 1i32, 1i32]] }
-- input { 1i64 2i64 empty([0][4]i32) } output { [[0i32, 0i32]] }
-- input { 0i64 2i64 [[0i32, 0i32, 1i32, 1i32]] } output { empty([0][2]i32) }

type line = {x1: i32, y1: i32, x2: i32, y2: i32}

def line_of (l: [4]i32) : line = {x1 = l[0], y1 = l[1], x2 = l[2], y2 = l[3]}

def steps (l: line) : i32 = i32.max (i32.abs (l.x2 - l.x1)) (i32.abs (l.y2 - l.y1))

-- The coordinate after step i of n on the way from a to b; halves are rounded up.
def between (a: i32) (b: i32) (n: i32) (i: i32) : i32 =
  if n == 0 then a else a + (2 * (b - a) * i + n) / (2 * n)

def points_of_lines (lines: []line) : [](i32, i32) =
  [ (between l.x1 l.x2 (steps l) i, between l.y1 l.y2 (steps l) i)
  | l <- lines, i <- 0...steps l ]

-- A point of the image has the number of its line; where lines cross, the last line is visible.
def main [n] (height: i64) (width: i64) (lines: [n][4]i32) : [height][width]i32 =
  let drawn =
    [ ((i64.i32 (between l.y1 l.y2 (steps l) i), i64.i32 (between l.x1 l.x2 (steps l) i)), i32.i64 k + 1)
    | (l <- map line_of lines | k <- 0..<n), i <- 0...steps l ]
  let (places, numbers) = unzip drawn
  in reduce_by_index_2d (replicate height (replicate width 0)) i32.max 0 places numbers

-- ==
-- entry: points
-- input { [[0i32, 0i32, 3i32, -1i32], [7i32, 7i32, 7i32, 7i32], [2i32, 1i32, 0i32, 2i32]] }
-- output { [0i32, 1i32, 2i32, 3i32, 7i32, 2i32, 1i32, 0i32]
--          [0i32, 0i32, -1i32, -1i32, 7i32, 1i32, 2i32, 2i32] }
-- input { empty([0][4]i32) } output { empty([0]i32) empty([0]i32) }
entry points [n] (lines: [n][4]i32) : [](i32, i32) = points_of_lines (map line_of lines)
