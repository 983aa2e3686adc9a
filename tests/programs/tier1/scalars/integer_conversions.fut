-- Narrowing keeps the low bits; widening copies the sign only from a signed type to a signed one.
-- ==
-- entry: narrow
-- input { 300 } output { 44i8 44u8 300i16 300u16 }
-- input { -1 } output { -1i8 255u8 -1i16 65535u16 }
-- input { -129 } output { 127i8 127u8 -129i16 65407u16 }
-- input { 2147483647 } output { -1i8 255u8 -1i16 65535u16 }

-- ==
-- entry: widen_signed
-- input { -128i8 } output { -128i16 -128 -128i64 128u16 128u32 128u64 }
-- input { 127i8 } output { 127i16 127 127i64 127u16 127u32 127u64 }

-- ==
-- entry: widen_unsigned
-- input { 255u8 } output { 255i16 255 255i64 255u16 255u32 255u64 }
-- input { 0u8 } output { 0i16 0 0i64 0u16 0u32 0u64 }

-- ==
-- entry: mixed
-- input { -1i16 -1 } output { 65535u32 65535u64 4294967295u64 -1i64 18446744073709551615u64 }

-- ==
-- entry: same_width
-- input { 4294967295u32 -2i64 } output { -1 4294967294u32 18446744073709551614u64 }

entry narrow (x: i32) = (i8.i32 x, u8.i32 x, i16.i32 x, u16.i32 x)
entry widen_signed (x: i8) = (i16.i8 x, i32.i8 x, i64.i8 x, u16.i8 x, u32.i8 x, u64.i8 x)
entry widen_unsigned (x: u8) = (i16.u8 x, i32.u8 x, i64.u8 x, u16.u8 x, u32.u8 x, u64.u8 x)
entry same_width (x: u32) (y: i64) = (i32.u32 x, u32.i64 y, u64.i64 y)
entry mixed (x: i16) (y: i32) = (u32.i16 x, u64.i16 x, u64.i32 y, i64.i32 y, u64.i64 (i64.i32 y))
