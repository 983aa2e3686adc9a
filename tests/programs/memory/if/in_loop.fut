-- Each step takes one branch; both change the unique argument in place.
-- ==
-- input { 3i64 [1, 2] } output { [6, 8] }
-- input { 0i64 [1, 2] } output { [1, 2] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (k: i64) (xs: *[n]i32) : *[n]i32 =
  loop xs for i < k do
    if i % 2 == 0 then xs with [:] = map (* 2) xs else xs with [0] = xs[0] + 1
