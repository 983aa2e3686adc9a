-- The array is built in the first half, and copied to the second.
-- ==
-- input { [1, 2, 3] } output { [1, 3, 6, 1, 3, 6] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (xs: [n]i32) = let ys = sums xs in ys ++ ys
