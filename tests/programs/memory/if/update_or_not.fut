-- A unique argument, changed in one branch only, stays where it is.
-- ==
-- input { true [1, 2] } output { [5, 2] }
-- input { false [1, 2] } output { [1, 2] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (c: bool) (xs: *[n]i32) : *[n]i32 = if c then xs with [0] = 5 else xs
