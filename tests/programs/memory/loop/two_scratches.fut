-- Two arrays that are never needed together share one block, of the larger size.
-- ==
-- input { 2i64 [1, 2] [1, 1, 1] } output { 14 }
-- input { 0i64 [1, 2] [1] } output { 0 }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n][m] (k: i64) (xs: [n]i32) (zs: [m]i32) =
  loop s = 0 for _i < k do
    let ys = sums xs
    let t = ys[n - 1] + ys[0]
    let zs = sums zs
    in s + t + zs[m - 1]
