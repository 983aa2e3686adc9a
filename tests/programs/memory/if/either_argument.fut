-- The chosen argument is copied once, for it is not the program's.
-- ==
-- input { true [1, 2] [3, 4] } output { [1, 2] }
-- input { false [1, 2] [3, 4] } output { [3, 4] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (c: bool) (xs: [n]i32) (ys: [n]i32) = if c then xs else ys
