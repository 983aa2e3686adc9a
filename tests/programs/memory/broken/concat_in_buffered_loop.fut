-- The concatenation reads the block in which the parameter lives: it is built in the other one.
-- ==
-- input { 1i64 [1, 2, 3, 4] } output { [4, 2, 3, 4] }
-- input { 2i64 [1, 2, 3, 4] } output { [4, 5, 3, 4] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (k: i64) (xs: *[n]i32) : [n]i32 =
  loop xs for _i < k do (xs[n - 1:] ++ map (+ 1) xs[:n - 1]) :> [n]i32
