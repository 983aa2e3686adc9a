-- Each thread takes a branch of its own; either writes the thread's row of the result.
-- ==
-- input { [1, -1] } output { [[1, 1, 1], [0, 1, 2]] }
-- input { empty([0]i32) } output { empty([0][3]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) =
  map (\x -> if x > 0 then replicate 3 x else map i32.i64 (iota 3)) xs
