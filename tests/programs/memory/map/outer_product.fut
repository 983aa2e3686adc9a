-- A nest of maps writes each element where it belongs; no row is built elsewhere.
-- ==
-- input { [1, 2] [3, 4, 5] } output { [[3, 4, 5], [6, 8, 10]] }
-- input { empty([0]i32) [1] } output { empty([0][1]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (xs: [n]i32) (ys: [m]i32) = map (\x -> map (* x) ys) xs
