-- The position of many keys in a sorted table.
-- ==
-- input { [1.0, 2.0, 2.0, 5.0] [0.0, 1.0, 2.0, 3.0, 5.0, 9.0] }
-- output { [0i64, 0i64, 1i64, 3i64, 3i64, 4i64] }
-- input { empty([0]f64) [1.0] }
-- output { [0i64] }

def lower_bound [n] (table: [n]f64) (key: f64) : i64 =
  let (low, _) =
    loop (low, high) = (0, n) while low < high do
      let middle = low + (high - low) / 2
      in if table[middle] < key then (middle + 1, high) else (low, middle)
  in low

entry main [n] [m] (table: [n]f64) (keys: [m]f64) : [m]i64 = map (lower_bound table) keys
