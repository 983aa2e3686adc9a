-- The kernels that `funmem tune --machine` measures (funmem/tune/machine.py).

-- An inner product: a reduction that commutes.
entry inner_product [n] (xs: [n]f32) (ys: [n]f32) : f32 =
  f32.sum (map2 (*) xs ys)

-- A product of matrices: rows that share what they read.
entry product [n][m][k] (a: [n][m]f32) (b: [m][k]f32) : [n][k]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

-- A stencil, in steps.
entry stencil [n][m] (steps: i32) (grid: [n][m]f32) : [n][m]f32 =
  loop g = grid for _k < steps do
    tabulate_2d n m (\i j ->
      let at (a: i64) (b: i64) = g[i64.max 0 (i64.min (n - 1) a), i64.max 0 (i64.min (m - 1) b)]
      in 0.2 * (at i j + at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))

-- A scan.
entry scan [n] (xs: [n]f32) : [n]f32 =
  scan (+) 0 xs

-- While-loops whose numbers of iterations differ: points that leave a circle.
entry escape [n] (limit: i32) (cs: [n]f32) : [n]i32 =
  map (\c ->
    let (_, _, k) =
      loop (x, y, k) = (0f32, 0f32, 0i32) while k < limit && x * x + y * y < 4 do
        (x * x - y * y + c, 2 * x * y + 0.25 * c, k + 1)
    in k) cs
