-- The same over ranges: these are no arrays.
-- ==
-- input { [[4f32, 3f32], [8f32, 10f32]] } output { [[4f32, 3f32], [2f32, 4f32]] }
-- structure seq-mem { Alloc 0 Copy 0 }

def main [n] (a: *[n][n]f32) : *[n][n]f32 =
  loop a for k < n - 1 do
    loop a for i in k + 1..<n do
      let factor = a[i, k] / a[k, k]
      let a[i, k] = factor
      in loop a for j in k + 1..<n do a with [i, j] = a[i, j] - factor * a[k, j]
