-- zip and unzip of two to five arrays, and that one undoes the other.
-- ==
-- entry: round
-- input { [1, 2] [1.0, 2.0] [true, false] [3u8, 4u8] [5i64, 6i64] }
-- output { [1, 2] [1.0, 2.0] [true, false] [3u8, 4u8] [5i64, 6i64] }
-- input { empty([0]i32) empty([0]f64) empty([0]bool) empty([0]u8) empty([0]i64) }
-- output { empty([0]i32) empty([0]f64) empty([0]bool) empty([0]u8) empty([0]i64) }

-- ==
-- entry: few
-- input { [1, 2] [3, 4] } output { [3, 4] [1, 2] [1, 2] [3, 4] [4, 6] [3, 4] [4, 6] [1, 2] [1, 2] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [5, 6] } output { [[1, 2], [3, 4]] [5, 6] }

entry round [n] (a: [n]i32) (b: [n]f64) (c: [n]bool) (d: [n]u8) (e: [n]i64) =
  zip5 a b c d e |> reverse |> reverse |> unzip5
entry few [n] (xs: [n]i32) (ys: [n]i32) =
  let (a, b) = unzip2 (map (\(x, y) -> (y, x)) (zip2 xs ys))
  let (c, d, e) = unzip3 (zip3 xs ys (map2 (+) xs ys))
  let (f, g, h, i) = unzip4 (zip4 d e c xs)
  in (a, b, c, d, e, f, g, h, i)
entry rows [n] (xss: [n][2]i32) (ys: [n]i32) = unzip (zip xss ys)
