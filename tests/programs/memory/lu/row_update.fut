-- A row is replaced by one computed from itself and another row, in place.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [1, 0]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [m] (a: *[2][m]i32) : *[2][m]i32 =
  a with [1] = map2 (\x y -> x - 2 * y) a[1] a[0]
