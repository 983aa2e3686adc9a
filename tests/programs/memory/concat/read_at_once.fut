-- A concatenation of which two elements are read: it has to be in memory for that, in one block.
-- ==
-- input { [1, 2] [3] 2i64 } output { 5 }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n][m] (xs: [n]i32) (ys: [m]i32) (i: i64) =
  let zs = map (+ 1) xs ++ ys
  in zs[i] + zs[i - 2]
