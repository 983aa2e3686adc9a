-- An i64 array and an f64 array, one after the other, in one block; and the result.
-- ==
-- input { [1i64, 2i64] } output { [4.0, 9.0] }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (xs: [n]i64) =
  let ys = loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)
  let t = f64.i64 (ys[0] + ys[n - 1])
  let zs = loop zs = replicate n 0 for i < n do zs with [i] = t + (if i > 0 then zs[i - 1] else 0)
  in map (\i -> zs[i] + zs[n - 1 - i] * f64.i64 i * 0 + f64.i64 i) (iota n)
