-- highest and lowest of every type, epsilon, inf, nan, pi and e.
-- ==
-- entry: ints
-- input { } output { 127i8 -128i8 32767i16 -32768i16 2147483647 -2147483648
--                    9223372036854775807i64 -9223372036854775808i64 }

-- ==
-- entry: nats
-- input { } output { 255u8 0u8 65535u16 0u16 4294967295u32 0u32 18446744073709551615u64 0u64 }

-- ==
-- entry: floats
-- input { } output { f32.inf -f32.inf f64.inf -f64.inf f32.inf f64.nan true }

-- ==
-- entry: constants
-- input { } output { 3.141592653589793 2.718281828459045 3.1415927f32 2.7182817f32 }

-- ==
-- entry: eps
-- input { } output { true true }

entry ints = (i8.highest, i8.lowest, i16.highest, i16.lowest, i32.highest, i32.lowest, i64.highest, i64.lowest)
entry nats = (u8.highest, u8.lowest, u16.highest, u16.lowest, u32.highest, u32.lowest, u64.highest, u64.lowest)
entry floats = (f32.highest, f32.lowest, f64.highest, f64.lowest, f32.inf, f64.nan, f64.highest == f64.inf)
entry constants = (f64.pi, f64.e, f32.pi, f32.e)
entry eps = (1 + f64.epsilon > 1 && 1 + f64.epsilon / 2 == 1, 1 + f32.epsilon > 1 && 1 + f32.epsilon / 2 == 1)
