-- One right side in each thread, solved in the thread's row of the result.
-- ==
-- input { [[1, 0], [2, 1]] [[3, 4], [1, 1]] } output { [[3, -2], [1, -1]] }
-- structure seq-mem { Alloc 1 Copy 1 }

def solve [n] (l: [n][n]i32) (b: [n]i32) =
  loop x = copy b for i < n do
    let s = loop s = x[i] for j < i do s - l[i, j] * x[j]
    in x with [i] = s

def main [n][m] (l: [n][n]i32) (bs: [m][n]i32) = map (solve l) bs
