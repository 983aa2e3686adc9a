-- A copy of which only the length is used need not be made.
-- ==
-- input { [1, 2] } output { 2i64 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: [n]i32) = let ys = copy xs in length ys
