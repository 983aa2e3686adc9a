-- `expm1 x` is `exp x - 1`, exact near 0.
-- ==
-- entry: doubles
-- input { [0.0, 1e-3, -1e-3, 1.0] } output { [0.0, 0.0010005001667083417, -0.0009995001666250085, 1.718281828459045] }

-- ==
-- entry: small
-- input { 1e-12 } output { true true }

-- ==
-- entry: others
-- input { 0.5f32 0.5f16 } output { 0.6487213f32 0.649f16 }

entry doubles [n] (xs: [n]f64) = map f64.expm1 xs
entry small (x: f64) = (f64.abs (f64.expm1 x / x - 1) < 1e-9, f64.expm1 x != f64.exp x - 1)
entry others (x: f32) (y: f16) = (f32.expm1 x, f16.expm1 y)
