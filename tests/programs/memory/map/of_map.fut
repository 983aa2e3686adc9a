-- Two maps, one after the other, are one: nothing but the result is in memory.
-- ==
-- input { [1, -2, 3] } output { [4, -2, 8] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) =
  let ys = map (+ 1) xs
  in map (* 2) ys
