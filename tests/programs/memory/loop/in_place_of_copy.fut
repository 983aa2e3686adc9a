-- The same of an array that the caller keeps: one copy, in front of the loop.
-- ==
-- input { [1, 2, 3] } output { [2, 3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: [n]i32) = loop ys = copy xs for i < n do ys with [i] = ys[i] + 1
