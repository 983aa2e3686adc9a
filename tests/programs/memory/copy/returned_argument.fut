-- The caller keeps its array, so what is returned is a copy.
-- ==
-- input { [1, 2] } output { [1, 2] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: [n]i32) = xs
