-- foreign code on arrays: scalars and arrays in, arrays out, with and without a grid
entry f [n] (xs : [n]f32) (m : [n][n]f32) -> (r : [n]f32) (s : [2*n]f32) =
  let (ys : [n]f32) = opaque rev (n, xs) grid [n]
  let (zs : [2*n]f32) (ws : [n]f32) = opaque both (n, 1.0f32, ys, m) grid [n][n + 1]
  let (us : [n]f32) =
    loop (a : [n]f32) = ws for i < 3 do
      let (b : [n]f32) = opaque rev (n, a) grid [n]
      in (b)
  let (vs : [n]f32) = opaque sorted (n, us)
  in (vs, zs)
