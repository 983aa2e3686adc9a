-- A number with a suffix has that type, whatever the context; an integer may have a float's.
-- ==
-- entry: integers
-- input { } output { -1i8 300i16 -7i32 5000000000i64 255u8 65535u16 31u32 18446744073709551615u64 }

-- ==
-- entry: floats
-- input { } output { 2f16 3f32 -4f64 0.5f16 1500f32 0.25 }

-- ==
-- entry: spelled
-- input { } output { 255i32 5u8 1000000i64 16u16 2f32 }

entry integers = (-1i8, 300i16, -7i32, 5_000_000_000i64, 255u8, 65535u16, 31u32, 18446744073709551615u64)
entry floats = (2f16, 3f32, -4f64, 0.5f16, 1.5e3f32, 0.25f64)
entry spelled = (0xFFi32, 0b101u8, 1_000_000i64, 0x10u16, 2f32)
