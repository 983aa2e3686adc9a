-- The parameter is read in reverse while its next value is made, and summed after it: two blocks,
-- and one of partial sums.
-- ==
-- input { 2i64 [1, 2, 3] } output { [4, 4, 4] 18 }
-- input { 0i64 [1, 2, 3] } output { [1, 2, 3] 0 }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n] (k: i64) (xs: *[n]i32) : ([n]i32, i32) =
  loop (xs, s) = (xs, 0) for _i < k do
    let ys = map (\i -> (xs[i] + xs[n - 1 - i] + (xs[0] - xs[0])) / (if s > 0 then 2 else 1)) (iota n)
    in (ys, s + i32.sum xs)
