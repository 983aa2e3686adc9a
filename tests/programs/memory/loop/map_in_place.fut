-- Each step maps a unique argument onto itself: no block.
-- ==
-- input { 3i64 [1, 2] } output { [4, 5] }
-- input { 0i64 [1, 2] } output { [1, 2] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (k: i64) (xs: *[n]i32) : *[n]i32 = loop xs for _i < k do map (+ 1) xs
