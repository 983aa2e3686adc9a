-- The bits of floats: to and from integers, single bits, and how many there are.
-- ==
-- input { 1.0f32 } output { 1065353216u32 1.0f32 }
-- input { -0.0f32 } output { 2147483648u32 -0.0f32 }
-- input { f32.inf } output { 2139095040u32 f32.inf }

def main (x: f32) : (u32, f32) = (f32.to_bits x, f32.from_bits (f32.to_bits x))

-- ==
-- entry: double
-- input { 1.0 } output { 4607182418800017408u64 }
-- input { -2.0 } output { 13835058055282163712u64 }
-- input { 0.0 } output { 0u64 }

entry double (x: f64) : u64 = f64.to_bits x

-- ==
-- entry: sign_bit
-- input { 3.5 3.5f32 } output { 0 3.5f32 -3.5f32 }
-- input { -3.5 -3.5f32 } output { 1 3.5f32 -3.5f32 }

entry sign_bit (x: f64) (y: f32) : (i32, f32, f32) =
  (f64.get_bit 63 x, f32.set_bit 31 y 0, f32.set_bit 31 y 1)

-- ==
-- entry: exponent
-- input { [1.0f32, 8.0f32, 0.1f32, -3.0f32] } output { [0, 3, -4, 1] }

entry exponent [n] (xs: [n]f32) : [n]i32 =
  map (\x -> i32.u32 ((f32.to_bits x >> 23) & 0xff) - 127) xs

-- ==
-- entry: sizes
-- input { } output { 16 32 64 }

entry sizes : (i32, i32, i32) = (f16.num_bits, f32.num_bits, f64.num_bits)

-- ==
-- entry: fast_inverse_root
-- input { [4.0f32, 0.25f32, 2.0f32] } output { [0.5f32, 2.0f32, 0.70710678f32] }

entry fast_inverse_root [n] (xs: [n]f32) : [n]f32 =
  map (\x ->
         let y = f32.from_bits (0x5f3759df - f32.to_bits x / 2)
         in iterate 3 (\y -> y * (1.5 - 0.5 * x * y * y)) y)
      xs
