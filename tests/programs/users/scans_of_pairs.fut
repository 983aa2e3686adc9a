-- Scans and reductions with operators on tuples and records.
-- ==
-- input { [1, 5, 2, 5] [1, 1, 1, 1] } output { 5i32 1i64 [1i32, 6i32, 13i32, 66i32] }
-- input { [3] [4] } output { 3i32 0i64 [4i32] }

def argmax [n] (xs: [n]i32) : (i32, i64) =
  let op (a, i) (b, j) = if b > a || (b == a && j < i) then (b, j) else (a, i)
  in reduce_comm op (i32.lowest, n) (zip xs (indices xs))
def linear [n] (as: [n]i32) (bs: [n]i32) : [n]i32 =
  let op (a1, b1) (a2, b2) = (a1 * a2, b1 * a2 + b2)
  in map (.1) (scan op (1, 0) (zip as bs))
def main [n] (xs: [n]i32) (ys: [n]i32) : (i32, i64, []i32) =
  let (m, i) = argmax xs in (m, i, linear xs ys)
