-- min, max, abs, sgn and neg of every kind of number.
-- ==
-- entry: signed
-- input { -5 3 } output { -5 3 5 -1 5 }
-- input { 0 -1 } output { -1 0 0 0 0 }
-- input { -2147483648 1 } output { -2147483648 1 -2147483648 -1 -2147483648 }

-- ==
-- entry: unsigned
-- input { 200u8 100u8 } output { 100u8 200u8 200u8 1u8 56u8 }
-- input { 0u8 0u8 } output { 0u8 0u8 0u8 0u8 0u8 }

-- ==
-- entry: floats
-- input { -1.5 2.0 } output { -1.5 2.0 1.5 -1.0 1.5 }
-- input { 0.0 -0.5 } output { -0.5 0.0 0.0 0.0 0.0 }
-- input { -f64.inf f64.inf } output { -f64.inf f64.inf f64.inf -1.0 f64.inf }

-- ==
-- entry: clamp
-- input { [-300, -1, 0, 128, 255, 1000] } output { [0u8, 0u8, 0u8, 128u8, 255u8, 255u8] }

entry signed (x: i32) (y: i32) = (i32.min x y, i32.max x y, i32.abs x, i32.sgn x, i32.neg x)
entry unsigned (x: u8) (y: u8) = (u8.min x y, u8.max x y, u8.abs x, u8.sgn x, u8.neg x)
entry floats (x: f64) (y: f64) = (f64.min x y, f64.max x y, f64.abs x, f64.sgn x, f64.neg x)
entry clamp [n] (xs: [n]i32) : [n]u8 = xs |> map (i32.max 0) |> map (i32.min 255) |> map u8.i32
