-- Scalars only.
-- ==
-- input { 5i64 } output { 120i64 }
-- input { 0i64 } output { 1i64 }
-- structure seq-mem { Alloc 0 Copy 0 }

def main (n: i64) = loop p = 1i64 for i < n do p * (i + 1)
