-- Forward substitution in a copy of the right side.
-- ==
-- input { [[1, 0], [2, 1]] [3, 4] } output { [3, -2] }
-- input { empty([0][0]i32) empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (l: [n][n]i32) (b: [n]i32) =
  loop x = copy b for i < n do
    let s = loop s = x[i] for j < i do s - l[i, j] * x[j]
    in x with [i] = s
