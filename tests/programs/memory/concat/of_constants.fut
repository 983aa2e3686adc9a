-- Zeros and numbers are written where they end.
-- ==
-- input { 2i64 } output { [0i64, 0i64, 0i64, 1i64] }
-- input { 0i64 } output { empty([0]i64) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main (n: i64) = replicate n 0 ++ iota n
