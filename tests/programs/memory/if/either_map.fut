-- Whichever branch runs writes the result: one block.
-- ==
-- input { true [1, 2] } output { [2, 3] }
-- input { false [1, 2] } output { [2, 4] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (c: bool) (xs: [n]i32) = if c then map (+ 1) xs else map (* 2) xs
