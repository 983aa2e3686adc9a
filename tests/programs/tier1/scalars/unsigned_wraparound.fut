-- Unsigned arithmetic is modulo 2^width, and prefix minus wraps too.
-- ==
-- entry: arith_u8
-- input { 255u8 1u8 } output { 0u8 254u8 255u8 1u8 }
-- input { 0u8 1u8 } output { 1u8 255u8 0u8 0u8 }
-- input { 16u8 16u8 } output { 32u8 0u8 0u8 240u8 }

-- ==
-- entry: arith_u16
-- input { 65535u16 2u16 } output { 1u16 65533u16 65534u16 1u16 }
-- input { 0u16 0u16 } output { 0u16 0u16 0u16 0u16 }

-- ==
-- entry: arith_u32
-- input { 4294967295u32 4294967295u32 } output { 4294967294u32 0u32 1u32 1u32 }
-- input { 1u32 2u32 } output { 3u32 4294967295u32 2u32 4294967295u32 }

-- ==
-- entry: arith_u64
-- input { 18446744073709551615u64 1u64 } output { 0u64 18446744073709551614u64 18446744073709551615u64 1u64 }
-- input { 9223372036854775808u64 2u64 } output { 9223372036854775810u64 9223372036854775806u64 0u64 9223372036854775808u64 }

entry arith_u8 (x: u8) (y: u8) = (x + y, x - y, x * y, -x)
entry arith_u16 (x: u16) (y: u16) = (x + y, x - y, x * y, -x)
entry arith_u32 (x: u32) (y: u32) = (x + y, x - y, x * y, -x)
entry arith_u64 (x: u64) (y: u64) = (x + y, x - y, x * y, -x)
