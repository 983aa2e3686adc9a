-- Dynamic programming with traceback: a table made row by row in place, then indices that depend on data.
-- ==
-- input { [[1, 2, 3], [9, 1, 4], [2, 8, 0]] } output { [0i64, 1i64, 2i64] 2 }
-- input { [[4, -1, 4]] } output { [1i64] -1 }
-- input { [[5], [6], [7]] } output { [0i64, 0i64, 0i64] 18 }
-- input { empty([0][2]i32) } error: Range 1..<0 is invalid

def cheapest [m] (xs: [m]i32) : (i32, i64) =
  reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (i32.highest, -1) (zip xs (iota m))

def next [m] (costs: [m]i32) (row: [m]i32) : [m]i32 =
  map2 (\i c -> c + i32.minimum costs[i64.max 0 (i - 1):i64.min m (i + 2)]) (iota m) row

entry main [n] [m] (grid: [n][m]i32) : ([n]i64, i32) =
  let costs = loop costs = copy grid for i in 1..<n do costs with [i] = copy (next costs[i - 1] grid[i])
  let (cost, last) = cheapest costs[n - 1]
  let (path, _) =
    loop (path, j) = (replicate n last, last) for k < n - 1 do
      let (i, low) = (n - 2 - k, i64.max 0 (j - 1))
      let (_, step) = cheapest costs[i, low:i64.min m (j + 2)]
      in (path with [i] = low + step, low + step)
  in (path, cost)
