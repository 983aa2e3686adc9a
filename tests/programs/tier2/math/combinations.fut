-- mad, fma, lerp, ldexp, copysign, nextafter and from_fraction.
-- ==
-- input { 2.0 3.0 4.0 } output { 10.0 10.0 2.0 6.0 }
-- input { 0.0 f64.inf 1.0 } output { f64.nan f64.nan f64.nan 0.0 }

def main (a: f64) (b: f64) (c: f64) : (f64, f64, f64, f64) =
  (f64.mad a b c, f64.fma a b c, f64.lerp a b 0 , a * f64.min b 3)

-- ==
-- entry: fused_rounds_once
-- input { 1.0000000074505806 } output { true }

-- The product of (1 + 2^-27) with itself needs more bits than a double has.
entry fused_rounds_once (x: f64) : bool = f64.fma x x (-(x * x)) != 0

-- ==
-- entry: interpolated
-- input { 10.0 20.0 [0.0, 0.25, 1.0, 2.0, -1.0] } output { [10.0, 12.5, 20.0, 30.0, 0.0] }
-- input { 5.0 1.0 [0.5] } output { [3.0] }

entry interpolated [n] (a: f64) (b: f64) (ts: [n]f64) : [n]f64 = map (f64.lerp a b) ts

-- ==
-- entry: scaled
-- input { 1.5 [0, 1, 10, -1, -2000, 2000] } output { [1.5, 3.0, 1536.0, 0.75, 0.0, f64.inf] }

entry scaled [n] (x: f64) (ks: [n]i32) : [n]f64 = map (f64.ldexp x) ks

-- ==
-- entry: signs
-- input { 2.0 -0.0 } output { -2.0 2.0 true }
-- input { -3.0 1.0 } output { 3.0 -3.0 false }

entry signs (x: f64) (y: f64) : (f64, f64, bool) =
  (f64.copysign x y, f64.copysign x (-y), f64.to_bits (f64.copysign 0 y) >> 63 == 1)

-- ==
-- entry: neighbours
-- input { } output { true true true 1u64 }

entry neighbours : (bool, bool, bool, u64) =
  ( f64.nextafter 1 2 - 1 == f64.epsilon
  , f32.nextafter 1 2 > 1 && f32.nextafter 1 0 < 1
  , f64.nextafter 3 3 == 3
  , f64.to_bits (f64.nextafter 0 1)
  )

-- ==
-- entry: fractions
-- input { 1i64 4i64 } output { 0.25 0.25f32 }
-- input { -7i64 2i64 } output { -3.5 -3.5f32 }
-- input { 1i64 0i64 } output { f64.inf f32.inf }

entry fractions (a: i64) (b: i64) : (f64, f32) = (f64.from_fraction a b, f32.from_fraction a b)
