-- Each thread iterates in its row of the result.
-- ==
-- input { [1, 2] } output { [[2, 3, 4], [3, 4, 5]] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) =
  map (\x -> loop r = replicate 3 x for i < 3 do r with [i] = r[i] + i32.i64 i + 1) xs
