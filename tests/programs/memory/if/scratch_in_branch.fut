-- A block for the prefix sums, in the branch that needs them.
-- ==
-- input { true [1, 2] } output { 4 }
-- input { false [1, 2] } output { 0 }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (c: bool) (xs: [n]i32) =
  if c then let ys = sums xs in ys[0] + ys[n - 1] else 0
