-- Both maps write their part of the result.
-- ==
-- input { [1, 2] } output { [2, 3, 2, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = map (+ 1) xs ++ map (* 2) xs
