-- A histogram is added to a unique argument: the only block has those that threads make of chunks.
-- ==
-- input { [1, 2, 3] [0i64, 0i64] [7, 8] } output { [16, 2, 3] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n][m] (xs: *[n]i32) (is: [m]i64) (vs: [m]i32) : *[n]i32 =
  reduce_by_index xs (+) 0 is vs
