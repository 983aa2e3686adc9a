-- Four maps write their parts of the result: no concatenation is built twice.
-- ==
-- input { [1] [2] } output { [2, 3, 2, 4] }
-- input { empty([0]i32) [2] } output { [3, 4] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (xs: [n]i32) (ys: [m]i32) =
  (map (+ 1) xs ++ map (+ 1) ys) ++ (map (* 2) xs ++ map (* 2) ys)
