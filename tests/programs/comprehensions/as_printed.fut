-- Comprehensions as paper 004 prints them: ranges in brackets, a generator of one value.
-- ==
-- entry: triples
-- input { 14i64 } output { [3i64, 5i64, 6i64] [4i64, 12i64, 8i64] [5i64, 13i64, 10i64] }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }

entry triples (n: i64) =
  unzip3 [(x, y, z) | x <- [1..<n], y <- [x..<n], z <- [y..<(x + y)], z < n, x * x + y * y == z * z]

-- ==
-- entry: points
-- input { [0, 5, 2] [0, 5, 3] [2, 5, 0] [1, 7, 3] } output { [0, 1, 2, 5, 5, 5, 2, 1, 0] [0, 0, 1, 5, 6, 7, 3, 3, 3] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }

type point = (i32, i32)
type line = (point, point)

let points_in_line ((x1, y1), (x2, y2)) = i32.(1 + max (abs (x2 - x1)) (abs (y2 - y1)))
let compare (v1: i32) (v2: i32) : i32 = if v2 > v1 then 1 else if v1 > v2 then -1 else 0

let slope (x1, y1) (x2, y2) : f32 =
  if x2 == x1 then if y2 > y1 then 1 else -1
  else r32 (y2 - y1) / f32.abs (r32 (x2 - x1))

let get_point_in_line ((p1, p2): line) (i: i32) : point =
  if i32.abs (p1.0 - p2.0) > i32.abs (p1.1 - p2.1)
  then let dir = compare p1.0 p2.0
       let sl = slope p1 p2
       in (p1.0 + dir * i, p1.1 + t32 (f32.round (sl * r32 i)))
  else let dir = compare p1.1 p2.1
       let sl = slope (p1.1, p1.0) (p2.1, p2.0)
       in (p1.0 + t32 (f32.round (sl * r32 i)), p1.1 + i * dir)

let points_of_lines (lines: []line) : []point =
  [p | line <- lines, i <- [0..<points_in_line line], p <- get_point_in_line line i]

entry points (x1: []i32) (y1: []i32) (x2: []i32) (y2: []i32) : ([]i32, []i32) =
  unzip (points_of_lines [((a, b), (c, d)) | a <- x1 | b <- y1 | c <- x2 | d <- y2])

-- ==
-- entry: values
-- input { 3i64 } output { [3i64] [10i64, 11i64, 12i64] [0i64, 1i64, 1i64] }
-- input { 0i64 } output { [0i64] empty([0]i64) empty([0]i64) }

entry values (n: i64) : ([]i64, []i64, []i64) =
  ([x | x <- n], [y + z | x <- {base = n + 7}, y <- [0..<n], z <- x.base], [k | x <- iota n, k <- x / 2 + x % 2])

-- ==
-- entry: unsigned
-- input { 3u8 200u8 } output { [3u8, 4u8, 5u8] [200u8, 199u8, 198u8] [0u32, 100u32, 200u32] [0u8, 0u8, 1u8] }
-- input { 0u8 3u8 } output { [0u8, 1u8, 2u8] [3u8, 2u8, 1u8] [0u32] empty([0]u8) }
-- input { 255u8 3u8 } error: Assertion is false

entry unsigned (n: u8) (m: u8) =
  let last = assert (n < 250) (n + 2)
  in ( n...last
     , [x | x <- [m..m - 1..>m - 3]]
     , 0u32..100...(u32.u8 m)
     , [y | x <- 0..<(u8.min n 3), y <- 0..<x, n > 0])
