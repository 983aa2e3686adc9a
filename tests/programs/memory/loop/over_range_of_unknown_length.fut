-- A range with a step: its elements are computed, but the range stays, since it is not seen that the
-- number of its elements, a quotient, is not negative. A person would see that.
-- ==
-- input { 7i64 } output { 12i64 }
-- input { 0i64 } output { 0i64 }
-- structure seq-mem { Alloc 1 Copy 0 }

def main (n: i64) = loop s = 0 for i in 0..2..<n do s + i
