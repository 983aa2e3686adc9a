-- Filled triangles, scan line by scan line.  The number of lines depends on the triangle, and the
-- number of points on the line: two irregular bindings, one inside the other.
-- ==
-- input { 4i64 6i64 [[0i32, 0i32, 5i32, 0i32, 0i32, 3i32]] }
-- output { [[1i32, 1i32, 1i32, 1i32, 1i32, 1i32],
--           [1i32, 1i32, 1i32, 1i32, 0i32, 0i32],
--           [1i32, 1i32, 0i32, 0i32, 0i32, 0i32],
--           [1i32, 0i32, 0i32, 0i32, 0i32, 0i32]] }
-- input { 3i64 3i64 [[1i32, 1i32, 1i32, 1i32, 1i32, 1i32], [0i32, 2i32, 2i32, 2i32, 1i32, 2i32]] }
-- output { [[0i32, 0i32, 0i32], [0i32, 1i32, 0i32], [2i32, 2i32, 2i32]] }
-- input { 2i64 2i64 [[-4i32, -4i32, 9i32, -4i32, -4i32, 9i32]] } output { [[1i32, 1i32], [1i32, 1i32]] }
-- input { 1i64 1i64 empty([0][6]i32) } output { [[0i32]] }

type point = (i32, i32)
type triangle = (point, point, point)

-- Twice the signed area: positive if c is to the right of the line from a to b (y grows downwards).
def area ((ax, ay): point) ((bx, by): point) ((cx, cy): point) : i32 =
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

def triangle_of (t: [6]i32) : triangle =
  let (a, b, c) = ((t[0], t[1]), (t[2], t[3]), (t[4], t[5]))
  in if area a b c < 0 then (a, c, b) else (a, b, c)

def smallest a b c = i32.min a (i32.min b c)
def largest a b c = i32.max a (i32.max b c)

def top ((a, b, c): triangle) = smallest a.1 b.1 c.1
def bottom ((a, b, c): triangle) = largest a.1 b.1 c.1

-- On line y, the points with area a b (x, y) >= 0 begin (the edge goes up) or end (it goes down) here.
def left_of ((ax, ay): point) ((bx, by): point) (y: i32) : i32 =
  if by < ay then ax - ((bx - ax) * (y - ay)) / (ay - by) else i32.lowest
def right_of ((ax, ay): point) ((bx, by): point) (y: i32) : i32 =
  if by > ay then ax + ((bx - ax) * (y - ay)) / (by - ay) else i32.highest

def left ((a, b, c): triangle) (y: i32) : i32 =
  i32.max (smallest a.0 b.0 c.0) (largest (left_of a b y) (left_of b c y) (left_of c a y))
def right ((a, b, c): triangle) (y: i32) : i32 =
  i32.min (largest a.0 b.0 c.0) (smallest (right_of a b y) (right_of b c y) (right_of c a y))

def main [n] (height: i64) (width: i64) (triangles: [n][6]i32) : [height][width]i32 =
  let drawn =
    [ ((i64.i32 y, i64.i32 x), i32.i64 k + 1)
    | (t <- map triangle_of triangles | k <- 0..<n),
      y <- top t...bottom t, x <- left t y..<i32.max (left t y) (right t y + 1) ]
  let (places, numbers) = unzip drawn
  in reduce_by_index_2d (replicate height (replicate width 0)) i32.max 0 places numbers
