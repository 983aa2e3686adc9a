-- reduce_by_index combines into an existing array.
-- ==
-- entry: add
-- input { [10, 20, 30] [0i64, 2i64, 0i64] [1, 2, 3] } output { [14, 20, 32] }
-- input { [10, 20] [5i64, -1i64] [1, 2] } output { [10, 20] }
-- input { [10] empty([0]i64) empty([0]i32) } output { [10] }
-- input { empty([0]i32) [0i64] [1] } output { empty([0]i32) }

-- ==
-- entry: nearest
-- input { [9f32, 9f32] [0i64, 1i64, 0i64] [5f32, 12f32, 3f32] } output { [3f32, 9f32] [2i64, -1i64] }

-- ==
-- entry: bits
-- input { [0u8, 1u8] [0i64, 0i64, 1i64] [4u8, 2u8, 128u8] } output { [6u8, 129u8] }

entry add [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32) = reduce_by_index dest (+) 0 is vs

def closer ((a, i): (f32, i64)) ((b, j): (f32, i64)) =
  if a < b || a == b && i < j then (a, i) else (b, j)
entry nearest [k] [n] (start: [k]f32) (is: [n]i64) (ds: [n]f32) =
  unzip (reduce_by_index (map (\d -> (d, -1)) start) closer (f32.inf, i64.highest) is (zip ds (iota n)))

entry bits [k] [n] (dest: *[k]u8) (is: [n]i64) (vs: [n]u8) = reduce_by_index dest (|) 0 is vs
