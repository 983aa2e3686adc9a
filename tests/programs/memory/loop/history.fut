-- Each step writes its row of the result, from the row before.
-- ==
-- input { 3i64 [1, 2] } output { [[1, 2], [2, 4], [4, 8]] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (k: i64) (xs: [n]i32) =
  loop h = replicate k xs for i < k - 1 do h with [i + 1] = map (* 2) h[i]
