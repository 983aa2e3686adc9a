-- Neighbours are read: two blocks are exchanged, the unique argument's and one more.
-- ==
-- input { 1i64 [1, 2, 4] } output { [3, 6, 5] }
-- input { 2i64 [1, 2, 4] } output { [9, 11, 8] }
-- input { 0i64 [1] } output { [1] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (k: i64) (xs: *[n]i32) : [n]i32 =
  loop xs for _i < k do map (\i -> xs[i] + xs[(i + 1) % n]) (iota n)
