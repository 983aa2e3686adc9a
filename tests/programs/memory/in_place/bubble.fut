-- A pass of bubble sort.
-- ==
-- input { [3, 1, 2] } output { [1, 2, 3] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (xs: *[n]i32) : *[n]i32 =
  loop xs for i < n - 1 do
    let (a, b) = (xs[i], xs[i + 1])
    in if a > b then (xs with [i] = b) with [i + 1] = a else xs
