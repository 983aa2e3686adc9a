-- A range that is iterated over is not in memory.
-- ==
-- input { 2i64 5i64 } output { 9i64 }
-- input { 2i64 2i64 } output { 0i64 }
-- input { 3i64 2i64 } error: Range 3..<2 is invalid|Range
-- structure seq-mem { Alloc 0 Copy 0 }

def main (a: i64) (b: i64) = loop s = 0 for i in a..<b do s + i
