-- Conversions to and from f16, within its range and for infinities and NaN.
-- ==
-- input { 0.1 } output { 0.1f16 0.09997559f32 0.099975586 }
-- input { 65519.0 } output { 65504.0f16 65504.0f32 65504.0 }
-- input { f64.inf } output { f16.inf f32.inf f64.inf }
-- input { f64.nan } output { f16.nan f32.nan f64.nan }

def main (x: f64) : (f16, f32, f64) =
  let h = f16.f64 x
  in (h, f32.f16 h, f64.f16 h)

-- ==
-- entry: to_integers
-- input { 2.75f16 } output { 2 2i64 2u8 }
-- input { -2.75f16 } output { -2 -2i64 254u8 }

entry to_integers (x: f16) : (i32, i64, u8) = (i32.f16 x, i64.f16 x, u8.i32 (i32.f16 x))

-- ==
-- entry: from_integers
-- input { 2049 } output { 2048.0f16 2048.0f16 true }
-- input { 0 } output { 0.0f16 0.0f16 false }
-- input { -7 } output { -7.0f16 -7.0f16 true }

entry from_integers (x: i32) : (f16, f16, bool) = (f16.i32 x, f16.i64 (i64.i32 x), bool.f16 (f16.i32 x))

-- ==
-- entry: bits
-- input { 1.0f16 } output { 15360u16 1.0f16 }
-- input { -2.0f16 } output { 49152u16 -2.0f16 }
-- input { f16.inf } output { 31744u16 f16.inf }

entry bits (x: f16) : (u16, f16) = (f16.to_bits x, f16.from_bits (f16.to_bits x))
