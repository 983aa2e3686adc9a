-- Which of two arrays is read is decided once; nothing is copied.
-- ==
-- input { true [1, 2] [3, 4] } output { [2, 3] }
-- input { false [1, 2] [3, 4] } output { [4, 5] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (c: bool) (xs: [n]i32) (ys: [n]i32) =
  let zs = if c then xs else ys
  in map (+ 1) zs
