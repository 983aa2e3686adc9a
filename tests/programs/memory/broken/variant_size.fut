-- The array grows in every iteration, so no block in front of the loop can serve: one at the
-- start, one for the new element, one for each step.  The result stays where it is.
-- ==
-- input { 3i64 } output { [0i64, 0i64, 1i64, 2i64] }
-- input { 0i64 } output { [0i64] }
-- structure seq-mem { Alloc 3 Copy 2 }

def main (k: i64) = loop xs = [0i64] for i < k do xs ++ [i]
