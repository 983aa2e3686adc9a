-- A table, row by row: each is computed in parallel from the one above, where it will end.
-- ==
-- input { 3i64 } output { [[1, 1, 1], [1, 2, 2], [1, 3, 4]] }
-- input { 0i64 } output { empty([0][0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main (n: i64) =
  let table = tabulate_2d n n (\_ _ -> 1i32)
  in loop table for i < n - 1 do
       table with [i + 1] = map (\j -> table[i, j] + (if j > 0 then table[i, j - 1] else 0)) (iota n)
