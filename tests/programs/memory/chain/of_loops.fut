-- Three loops, each over the array of the one before: two blocks in turn, the result's and one more.
-- ==
-- input { [1, 1, 1] } output { [1, 4, 10] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 2 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (xs: [n]i32) = sums (sums (sums xs))
