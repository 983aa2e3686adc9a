-- mul_hi and mad_hi give the upper half of a product; mad, fma and lerp on floats.
-- ==
-- entry: high
-- input { 65536u32 65536u32 } output { 1u32 8u32 }
-- input { 4294967295u32 4294967295u32 } output { 4294967294u32 5u32 }
-- input { 0u32 9u32 } output { 0u32 7u32 }

-- ==
-- entry: high_signed
-- input { -2 3 } output { -1 -6 }
-- input { 1073741824 8 } output { 2 0 }

-- ==
-- entry: fused
-- input { 2.0 3.0 4.0 } output { 10.0 10.0 6.0 }

entry high (x: u32) (y: u32) = (u32.mul_hi x y, u32.mad_hi x y 7)
entry high_signed (x: i32) (y: i32) = (i32.mul_hi x y, x * y)
entry fused (a: f64) (b: f64) (c: f64) = (f64.mad a b c, f64.fma a b c, f64.lerp a b c)
