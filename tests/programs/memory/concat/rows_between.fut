-- Each row is what a map makes of another one, between that row and three numbers from outside. All
-- three are written by kernels over all elements, each where its part of the rows is.
-- ==
-- input { [[1, 2], [3, 4]] [7, 8, 9] } output { [[1, 2, 2, 3, 7, 8, 9], [3, 4, 4, 5, 7, 8, 9]] }
-- input { empty([0][2]i32) [7, 8, 9] } output { empty([0][7]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [m][n] (a: [m][n]i32) (z: [3]i32) : [m][]i32 = map (\r -> r ++ map (+ 1) r ++ z) a
