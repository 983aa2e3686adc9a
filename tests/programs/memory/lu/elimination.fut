-- Gaussian elimination, element by element, in the unique matrix.
-- ==
-- input { [[4f32, 3f32], [8f32, 10f32]] } output { [[4f32, 3f32], [2f32, 4f32]] }
-- input { empty([0][0]f32) } output { empty([0][0]f32) }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[n][n]f32) : *[n][n]f32 =
  loop a for k < n do
    loop a for i < n - 1 - k do
      let factor = a[i + k + 1, k] / a[k, k]
      let a[i + k + 1, k] = factor
      in loop a for j < n - 1 - k do
           a with [i + k + 1, j + k + 1] = a[i + k + 1, j + k + 1] - factor * a[k, j + k + 1]
