-- A unique argument, changed element by element.
-- ==
-- input { [1, 2, 3] } output { [2, 3, 4] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 = loop xs for i < n do xs with [i] = xs[i] + 1
