-- The Q matrix of a magnetic resonance image that is not on a grid (Parboil mri-q).
-- ==
-- input { [0.1f32, 0.2f32] [0.3f32, 0.1f32] [0.0f32, 0.5f32] [1f32, 2f32] [1f32, 0.5f32, 0f32] [0f32, 0.5f32, 0f32] [2f32, 0.25f32, 0f32] }
-- output { [1.4270496f32, -0.0038521588f32, 3.0f32] [2.4898987f32, 2.926433f32, 0.0f32] }
-- input { [0.5f32] [0f32] [0f32] [3f32] [0.5f32] [0f32] [0f32] }
-- output { [-1.3113416e-07f32] [3.0f32] }

entry main [k] [n]
    (kx: [k]f32) (ky: [k]f32) (kz: [k]f32) (magnitude: [k]f32)
    (x: [n]f32) (y: [n]f32) (z: [n]f32) : ([n]f32, [n]f32) =
  let point x y z =
    let terms =
      map4 (\kx ky kz m ->
              let angle = 2 * f32.pi * (kx * x + ky * y + kz * z)
              in (m * f32.cos angle, m * f32.sin angle))
           kx ky kz magnitude
    in reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) terms
  in unzip (map3 point x y z)
