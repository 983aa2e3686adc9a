-- Of an array of pairs, which are two arrays, one is changed.
-- ==
-- input { [1, 2] [1.5, 2.5] } output { [2, 3] [1.5, 2.5] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) (ys: *[n]f64) : (*[n]i32, *[n]f64) =
  (xs with [:] = map (+ 1) xs, ys)
