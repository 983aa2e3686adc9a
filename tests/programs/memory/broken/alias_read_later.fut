-- An alias of an alias is read after the update: one copy of the argument.
-- ==
-- input { [1, 2, 3] } output { [9, 2, 3] [3, 2, 1] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: *[n]i32) : (*[n]i32, [n]i32) =
  let v = reverse xs
  let w = copy v
  in (xs with [0] = 9, w)
