-- The first array is made in one of the two blocks.
-- ==
-- input { 3i64 1i64 } output { [1i64, 3i64, 2i64] }
-- input { 3i64 0i64 } output { [0i64, 1i64, 2i64] }
-- structure seq-mem { Alloc 2 Copy 0 }

def main (n: i64) (k: i64) : [n]i64 =
  loop xs = iota n for _i < k do map (\i -> xs[i] + xs[(i + 1) % n]) (iota n)
