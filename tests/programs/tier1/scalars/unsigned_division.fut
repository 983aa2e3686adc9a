-- Division and comparison of unsigned numbers see the top bit as a value, not as a sign.
-- ==
-- entry: u8s
-- input { 200u8 7u8 } output { 28u8 4u8 28u8 4u8 false }
-- input { 255u8 128u8 } output { 1u8 127u8 1u8 127u8 false }

-- ==
-- entry: u16s
-- input { 65535u16 256u16 } output { 255u16 255u16 true }

-- ==
-- entry: u32s
-- input { 4294967295u32 10u32 } output { 429496729u32 5u32 4294967295u32 }
-- input { 3u32 2147483648u32 } output { 0u32 3u32 2147483648u32 }

-- ==
-- entry: u64s
-- input { 18446744073709551615u64 1000u64 } output { 18446744073709551u64 615u64 true }
-- input { 1u64 18446744073709551615u64 } output { 0u64 1u64 false }

entry u8s (x: u8) (y: u8) = (x / y, x % y, x // y, x %% y, x < y)
entry u16s (x: u16) (y: u16) = (x / y, x % y, x >= y)
entry u32s (x: u32) (y: u32) = (x / y, x % y, u32.max x y)
entry u64s (x: u64) (y: u64) = (x / y, x % y, x > y)
