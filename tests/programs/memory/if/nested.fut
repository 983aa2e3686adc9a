-- Of three branches one writes the result.
-- ==
-- input { 0 [1, 2] } output { [2, 3] }
-- input { 1 [1, 2] } output { [2, 4] }
-- input { 2 [1, 2] } output { [1, 3] }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (k: i32) (xs: [n]i32) =
  if k == 0 then map (+ 1) xs else if k == 1 then map (* 2) xs else sums xs
