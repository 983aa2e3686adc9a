-- Each row has two parts. They are made by kernels of their own, for all rows, each where its part of
-- the result is: nothing is left to concatenate.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 3, 2, 3], [3, 7, 4, 5]] }
-- input { empty([0][1]i32) } output { empty([0][2]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n][m] (a: [n][m]i32) = map (\row -> sums row ++ map (+ 1) row) a
