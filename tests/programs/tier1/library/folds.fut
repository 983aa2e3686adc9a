-- foldl goes from the left, foldr from the right; the accumulator may have another type.
-- ==
-- entry: order
-- input { [1, 2, 3] } output { -6 2 [3, 2] [1, 2] }
-- input { [5] } output { -5 5 [5, 0] [5, 0] }
-- input { empty([0]i32) } output { 0 0 [0, 0] [0, 0] }

-- ==
-- entry: digits
-- input { [1u8, 0u8, 2u8] } output { 102i64 201i64 }
-- input { empty([0]u8) } output { 0i64 0i64 }

-- ==
-- entry: state
-- input { [3, -5, 4] } output { 2 -2 3 }

entry order (xs: []i32) =
  ( foldl (-) 0 xs, foldr (-) 0 xs
  , foldl (\acc x -> [x, acc[0]]) [0, 0] xs, foldr (\x acc -> [x, acc[0]]) [0, 0] xs )
entry digits (ds: []u8) =
  (foldl (\acc d -> acc * 10 + i64.u8 d) 0 ds, foldr (\d acc -> acc * 10 + i64.u8 d) 0 ds)
entry state (xs: []i32) =
  foldl (\(sum, low, high) x -> let s = sum + x in (s, i32.min low s, i32.max high s)) (0, 0, 0) xs
