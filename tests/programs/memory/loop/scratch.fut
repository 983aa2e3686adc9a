-- A block for prefix sums, allocated once in front of the loop.
-- ==
-- input { 2i64 [1, 2] } output { 8 }
-- input { 0i64 [1, 2] } output { 0 }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (k: i64) (xs: [n]i32) =
  loop s = 0 for _i < k do
    let ys = sums xs
    in s + ys[n - 1] + ys[0]
