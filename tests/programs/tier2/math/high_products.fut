-- The high half of a product, signed and unsigned, and with an addition.
-- ==
-- input { 1000000000 1000000000 } output { 232830643 232830644 }
-- input { -1 1 } output { -1 0 }
-- input { -2147483648 -2147483648 } output { 1073741824 1073741825 }
-- input { 0 5 } output { 0 1 }

def main (a: i32) (b: i32) : (i32, i32) = (i32.mul_hi a b, i32.mad_hi a b 1)

-- ==
-- entry: bytes
-- input { 127i8 127i8 255u8 255u8 } output { 63i8 254u8 62i8 253u8 }
-- input { -128i8 127i8 2u8 127u8 } output { -64i8 0u8 -65i8 255u8 }

entry bytes (a: i8) (b: i8) (c: u8) (d: u8) : (i8, u8, i8, u8) =
  (i8.mul_hi a b, u8.mul_hi c d, i8.mad_hi a b (-1), u8.mad_hi c d 255)

-- ==
-- entry: shorts
-- input { 32767i16 2i16 65535u16 65535u16 } output { 0i16 65534u16 }
-- input { -32768i16 2i16 32768u16 2u16 } output { -1i16 1u16 }

entry shorts (a: i16) (b: i16) (c: u16) (d: u16) : (i16, u16) = (i16.mul_hi a b, u16.mul_hi c d)

-- ==
-- entry: words
-- input { 4294967295u32 4294967295u32 } output { 4294967294u32 }
-- input { 65536u32 65535u32 } output { 0u32 }

entry words (a: u32) (b: u32) : u32 = u32.mul_hi a b

-- ==
-- entry: longs
-- input { 9223372036854775807i64 9223372036854775807i64 } output { 4611686018427387903i64 4611686018427387903u64 }
-- input { -9223372036854775808i64 2i64 } output { -1i64 1u64 }
-- input { -1i64 -1i64 } output { 0i64 18446744073709551614u64 }

entry longs (a: i64) (b: i64) : (i64, u64) = (i64.mul_hi a b, u64.mul_hi (u64.i64 a) (u64.i64 b))
