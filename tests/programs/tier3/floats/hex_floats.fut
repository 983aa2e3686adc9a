-- Hexadecimal floats give every bit: with suffixes, signs and exponents.
-- ==
-- input { } output { 1.5 12.0 -0.09375 }

def main : (f64, f64, f64) = (0x1.8p0, 0x1.8p3f64, -0x1.8p-4)

-- ==
-- entry: single
-- input { } output { 1065353217u32 0.15625f32 true }

entry single : (u32, f32, bool) =
  (f32.to_bits 0x1.000002p0f32, 0x1.4p-3f32, 0x1.000002p0f32 - 1 == f32.epsilon)

-- ==
-- entry: exact
-- input { } output { 4609434218613702656u64 4503599627370497u64 }

entry exact : (u64, u64) = (f64.to_bits 0x1.8p0, f64.to_bits 0x1.0000000000001p0 - 4602678819172646912)
