-- The wide zips and unzips carry elements of different types, rows included, in order.
-- ==
-- entry: records
-- input { [1, 2, 3] [10u8, 20u8, 30u8] [1.5, 2.5, 3.5] [true, false, true] }
-- output { [1, 3] [10u8, 30u8] [1.5, 3.5] [true, true] }
-- input { [1] [1u8] [1.0] [false] } output { empty([0]i32) empty([0]u8) empty([0]f64) empty([0]bool) }
-- input { empty([0]i32) empty([0]u8) empty([0]f64) empty([0]bool) }
-- output { empty([0]i32) empty([0]u8) empty([0]f64) empty([0]bool) }

-- ==
-- entry: shuffled
-- input { [1, 2] [[3, 4], [5, 6]] } output { [[4, 3], [6, 5]] [2, 1] [0i64, 1i64] [1, 2] [[3, 4], [5, 6]] }

-- ==
-- entry: threes
-- input { [5, 6] } output { [6, 5] [1i64, 0i64] [true, true] }

entry records [n] (a: [n]i32) (b: [n]u8) (c: [n]f64) (d: [n]bool) : ([]i32, []u8, []f64, []bool) =
  let (a, b, c, d) =
    unzip4 (loop (kept: [](i32, u8, f64, bool)) = [] for r in zip4 a b c d do
              if r.3 then kept ++ [r] else kept)
  in (a, b, c, d)
entry shuffled [n] (xs: [n]i32) (yss: [n][2]i32) =
  let (a, b, c, d, e) = unzip5 (map (\(i, x, ys) -> (reverse ys, xs[n - 1 - i], i, x, ys)) (zip3 (iota n) xs yss))
  in (a, b, c, d, map (\(_, _, _, _, row) -> row) (zip5 a b c d e))
entry threes [n] (xs: [n]i32) =
  let (a, b) = unzip2 (reverse (zip2 xs (indices xs)))
  in unzip3 (zip3 a b (map2 (\x i -> x == xs[i]) a b))
