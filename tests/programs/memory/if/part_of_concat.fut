-- The branches write a part of the result.
-- ==
-- input { true [1, 2] } output { [1, 2, 2, 3] }
-- input { false [1, 2] } output { [1, 2, 2, 4] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (c: bool) (xs: [n]i32) = xs ++ (if c then map (+ 1) xs else map (* 2) xs)
