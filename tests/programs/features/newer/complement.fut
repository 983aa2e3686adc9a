-- The bitwise complement as a member of its module, `T.!`, which Futhark 0.25 calls `T.not` only.
-- ==
-- entry: signed
-- input { 5i8 } output { -6i8 -6i16 -6i32 -6i64 }
-- input { -1i8 } output { 0i8 0i16 0i32 0i64 }
-- input { 0i8 } output { -1i8 -1i16 -1i32 -1i64 }

-- ==
-- entry: unsigned
-- input { 5u8 } output { 250u8 65530u16 4294967290u32 18446744073709551610u64 }
-- input { 0u8 } output { 255u8 65535u16 4294967295u32 18446744073709551615u64 }

entry signed (x: i8) = ((i8.!) x, (i16.!) (i16.i8 x), (i32.!) (i32.i8 x), (i64.!) (i64.i8 x))
entry unsigned (x: u8) = ((u8.!) x, (u16.!) (u16.u8 x), (u32.!) (u32.u8 x), (u64.!) (u64.u8 x))
