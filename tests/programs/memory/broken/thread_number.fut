-- Threads of a two-dimensional kernel each have an array of their own, of unknown length: one block
-- for all of them, in which every pair of indices has its part, and the result's.
-- ==
-- input { 3i64 [[1, 2], [3, 4]] } output { [[6, 12], [18, 24]] }
-- input { 0i64 [[1, 2]] } output { [[0, 0]] }
-- structure seq-mem { Alloc 2 Copy 0 }

def main [n][m] (k: i64) (a: [n][m]i32) =
  map (map (\x -> let t = loop t = replicate k x for i < k - 1 do t with [i + 1] = t[i] + x
                   in if k > 0 then t[k - 1] * 2 else 0)) a
