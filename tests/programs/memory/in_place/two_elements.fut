-- Two elements change places: two scalars are read before.
-- ==
-- input { [1, 2, 3] } output { [3, 2, 1] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 =
  let (a, b) = (xs[0], xs[n - 1])
  in (xs with [0] = b) with [n - 1] = a
