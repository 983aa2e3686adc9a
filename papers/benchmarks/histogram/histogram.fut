-- How often each of 1024 numbers occurs.
-- ==
-- input { 4i64 [3, 1, 3, 0, 3] } output { [1, 1, 0, 3] }
-- input { 2i64 [-1, 2, 1] } output { [0, 1] }
-- input { 2i64 empty([0]i32) } output { [0, 0] }

entry main [n] (k: i64) (is: [n]i32) : [k]i32 =
  reduce_by_index (replicate k 0) (+) 0 (map i64.i32 is) (replicate n 1)
