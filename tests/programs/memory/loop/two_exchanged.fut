-- The loop exchanges two unique arguments, and maps one of them. A person would map in place and
-- exchange names. Here the new array takes a third block, the loop hands all three round, and no
-- element moves.
-- ==
-- input { 1i64 [1, 2] [3, 4] } output { [3, 4] [2, 3] }
-- input { 2i64 [1, 2] [3, 4] } output { [2, 3] [4, 5] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (k: i64) (xs: *[n]i32) (ys: *[n]i32) : ([n]i32, [n]i32) =
  loop (xs: [n]i32, ys: [n]i32) = (xs, ys) for _i < k do (ys, map (+ 1) xs)
