-- The whole array is replaced by its reverse: not in place, but by way of another block. A person
-- would return that one, and not copy back.
-- ==
-- input { [1, 2, 3] } output { [3, 2, 1] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 2 }

def main [n] (xs: *[n]i32) : *[n]i32 = xs with [:] = copy (reverse xs)
