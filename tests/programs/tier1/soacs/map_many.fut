-- map1 to map5 walk over several arrays of one length at once.
-- ==
-- entry: two_to_five
-- input { [1, 2] [10, 20] [100, 200] [1000, 2000] [10000, 20000] }
-- output { [-1, -2] [11, 22] [111, 222] [1111, 2222] [11111, 22222] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: mixed_types
-- input { [1u8, 2u8] [1.5f32, 2.5f32] [true, false] [3i64, 4i64] }
-- output { [5.5f32, -4f32] }

-- ==
-- entry: with_index
-- input { [5, 5, 5] } output { [5i64, 6i64, 7i64] }
-- input { [5] } output { [5i64] }

-- ==
-- entry: rows_and_scalars
-- input { [[1, 2], [3, 4]] [10, 100] } output { [[10, 20], [300, 400]] }

entry two_to_five [n] (a: [n]i32) (b: [n]i32) (c: [n]i32) (d: [n]i32) (e: [n]i32) =
  ( map1 (\x -> -x) a, map2 (+) a b, map3 (\x y z -> x + y + z) a b c
  , map4 (\x y z u -> x + y + z + u) a b c d
  , map5 (\x y z u v -> x + y + z + u + v) a b c d e )
entry mixed_types [n] (a: [n]u8) (b: [n]f32) (c: [n]bool) (d: [n]i64) =
  map4 (\w x y z -> if y then f32.u8 w + x + f32.i64 z else -(f32.i64 z)) a b c d
entry with_index [n] (xs: [n]i32) = map2 (\x i -> i64.i32 x + i) xs (iota n)
entry rows_and_scalars [n] [m] (xss: [n][m]i32) (fs: [n]i32) = map2 (\xs f -> map (* f) xs) xss fs
