-- Two slices change places in one branch only: what is overwritten first is kept in a block, and
-- three copies are made.
-- ==
-- input { true [1, 2, 3, 4] } output { [3, 4, 1, 2] }
-- input { false [1, 2, 3, 4] } output { [1, 2, 3, 4] }
-- structure seq-mem { Alloc 1 Copy 3 }

def main [m] (c: bool) (xs: *[m]i32) : *[m]i32 =
  let n = m / 2
  in if c && m == n + n
     then let a = copy xs[:n]
          let b = copy xs[n:n + n]
          let xs[:n] = b :> [n]i32
          let xs[n:n + n] = a :> [n + n - n]i32
          in xs
     else xs
