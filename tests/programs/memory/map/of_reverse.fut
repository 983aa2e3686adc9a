-- Reading backwards needs no reversed array.
-- ==
-- input { [1, 2, 3] } output { [4, 3, 2] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = map (+ 1) (reverse xs)
