-- A slice with a stride is a view: the result is the only block.
-- ==
-- input { [1, 2, 3, 4, 5] } output { [2, 6, 10] }
-- input { [1] } output { [2] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = map (* 2) xs[::2]
