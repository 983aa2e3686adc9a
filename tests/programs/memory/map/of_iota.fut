-- The numbers are computed where they are used: no iota in memory.
-- ==
-- input { 4i64 } output { [0i64, 1i64, 4i64, 9i64] }
-- input { 0i64 } output { empty([0]i64) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main (n: i64) = map (\i -> i * i) (iota n)
