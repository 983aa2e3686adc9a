-- The array as it was and as it becomes: one copy.
-- ==
-- input { [1, 2] } output { [5, 2] [1, 2] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: *[n]i32) : ([n]i32, [n]i32) =
  let ys = copy xs
  in (xs with [0] = 5, ys)
