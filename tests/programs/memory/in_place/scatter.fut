-- A scatter into a unique argument.
-- ==
-- input { [1, 2, 3] [0i64, 5i64] [7, 8] } output { [7, 2, 3] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n][m] (xs: *[n]i32) (is: [m]i64) (vs: [m]i32) : *[n]i32 = scatter xs is vs
