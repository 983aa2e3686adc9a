-- The map works in place on the loop's block, which is the result's.
-- ==
-- input { [1, 2, 3] } output { [2, 6, 12] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (xs: [n]i32) = map (* 2) (sums xs)
