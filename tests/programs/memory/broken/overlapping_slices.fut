-- A slice is moved by one place: element by element it would overwrite itself. One block between.
-- ==
-- input { [1, 2, 3] } output { [1, 1, 2] }
-- input { [1] } output { [1] }
-- structure seq-mem { Alloc 1 Copy 2 }

def main [n] (xs: *[n]i32) : *[n]i32 = xs with [1:] = copy xs[:n - 1]
