-- The map writes its part; only the argument is copied.
-- ==
-- input { [1, 2] } output { [1, 2, 2, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: [n]i32) = xs ++ map (+ 1) xs
