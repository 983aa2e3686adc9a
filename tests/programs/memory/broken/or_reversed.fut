-- The result is one of two views of the argument: each is copied where it is chosen, or what was
-- chosen is copied once. One block, never the argument's.
-- ==
-- input { true [1, 2, 3] } output { [1, 2, 3] }
-- input { false [1, 2, 3] } output { [3, 2, 1] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (b: bool) (xs: [n]i32) = if b then xs else reverse xs
