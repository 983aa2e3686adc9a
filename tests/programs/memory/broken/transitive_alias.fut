-- An element is read through a view of a view, and then the array is updated: in place, since the
-- element has been read.
-- ==
-- input { [1, 2, 3] } output { [9, 2, 3] 1 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : (*[n]i32, i32) =
  let v = reverse (xs[:])
  let last = v[n - 1]
  in (xs with [0] = 9, last)
