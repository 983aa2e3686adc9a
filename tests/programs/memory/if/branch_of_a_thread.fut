-- A thread copies its row of the argument or computes a new one; either way into its row of the
-- result. Only what is copied is a copy.
-- ==
-- input { [[1, 2], [-1, 4]] } output { [[1, 3], [-1, 4]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n][m] (a: [n][m]i32) = map (\row -> if row[0] < 0 then row else sums row) a
