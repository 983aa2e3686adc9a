-- A filter inside a map has a size that differs from row to row; only regular results leave the map.
-- ==
-- input { [[1, -2, 3], [-1, -1, -1], [4, 5, 6]] } output { [4, 0, 15] }
-- input { empty([0][3]i32) } output { empty([0]i32) }
-- input { empty([2][0]i32) } output { [0, 0] }

def main [n] [m] (xss: [n][m]i32) : [n]i32 = map (\xs -> i32.sum (filter (> 0) xs)) xss

-- ==
-- entry: counts
-- input { 6i64 } output { [0i64, 1i64, 2i64, 2i64, 3i64, 2i64] }
-- input { 0i64 } output { empty([0]i64) }

entry counts (n: i64) : [n]i64 =
  map (\i -> length (filter (\d -> i % d == 0) (1..<i + 1))) (iota n)

-- ==
-- entry: sorted_halves
-- input { [[3, 1, 2], [6, 5, 4]] } output { [[1, 2, 3], [5, 4, 6]] }

entry sorted_halves [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  map (\xs ->
         let pivot = i32.sum xs / i32.i64 m
         let (low, high) = partition (<= pivot) xs
         in low ++ high :> [m]i32)
      xss

-- ==
-- entry: padded
-- input { 3i64 [[1, 0, 2], [0, 0, 0]] } output { [[1, 2, -1], [-1, -1, -1]] }

entry padded [n] [m] (k: i64) (xss: [n][m]i32) : [n][k]i32 =
  map (\xs -> take k (filter (!= 0) xs ++ replicate k (-1))) xss
