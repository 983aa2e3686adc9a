-- The elements of an array, one after the other.
-- ==
-- input { [1, 2, 3] } output { 6 }
-- input { empty([0]i32) } output { 0 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: [n]i32) = loop s = 0 for x in xs do s + x
