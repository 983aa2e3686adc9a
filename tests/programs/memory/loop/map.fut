-- The argument is copied to the result's block, and mapped in place there.
-- ==
-- input { 3i64 [1, 2] } output { [4, 5] }
-- input { 0i64 [1, 2] } output { [1, 2] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (k: i64) (xs: [n]i32) = loop xs for _i < k do map (+ 1) xs
