-- Two results must not share a block: the one that is made is copied once.
-- ==
-- input { [1, 2] } output { [1, 3] [1, 3] }
-- structure seq-mem { Alloc 2 Copy 1 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (xs: [n]i32) = let ys = sums xs in (ys, copy ys)
