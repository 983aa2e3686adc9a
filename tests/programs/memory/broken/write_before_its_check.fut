-- Built in place, the array would be written before the slice is known to be inside: it is built in
-- a block of its own, next to that of the two numbers that are summed, and copied after the check.
-- ==
-- input { 1i64 [1, 2, 3] } output { [1, 2, 5] }
-- input { 2i64 [1, 2, 3] } error: .
-- input { -1i64 [1, 2, 3] } error: .
-- structure seq-mem { Alloc 2 Copy 1 }

def sums [n] (xs: [n]i32) : *[n]i32 =
  loop ys = replicate n 0 for i < n do ys with [i] = xs[i] + (if i > 0 then ys[i - 1] else 0)

def main [n] (at: i64) (xs: *[n]i32) : *[n]i32 =
  let ys = sums [xs[0] + 1, xs[1] + 1]
  in xs with [at:at + 2] = ys
