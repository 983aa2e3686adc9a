-- A slice is replaced by what is computed from it, element by element.
-- ==
-- input { [1, 2, 3] } output { [1, 4, 6] }
-- input { [1] } output { [1] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 = xs with [1:] = map (* 2) xs[1:]
