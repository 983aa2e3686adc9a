-- Flattening and unflattening a map's result moves nothing.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[2, 3], [4, 5]] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (a: [n][m]i32) = unflatten (map (+ 1) (flatten a))
