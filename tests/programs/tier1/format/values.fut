-- The text format of values: bases, underscores, default types, trailing commas, strings, empty arrays.
-- ==
-- entry: numbers
-- input { 0x10 0b101i64 1_000u16 +5i8 -0x2 }
-- output { 16i32 5i64 1000u16 5i8 -2 }

-- ==
-- entry: floats
-- input { 1.5 1e3 2f32 0.25 f32.nan -f64.inf }
-- output { 1.5f64 1000.0f64 2.0f32 0.25f64 f32.nan -f64.inf }

-- ==
-- entry: arrays
-- input { [1, 2,] [[true], [false]] "AZ~" empty([0][3]u8) }
-- output { [1i32, 2i32] [[true], [false]] [65u8, 90u8, 126u8] empty([0][3]u8) }

-- ==
-- entry: spread_out
-- input {
--   [ [1f32, 2f32]
--   , [3f32, 4f32]
--   ]
--   2i64
-- }
-- output { 6f32 }

entry numbers (a: i32) (b: i64) (c: u16) (d: i8) (e: i32) = (a, b, c, d, e)
entry floats (a: f64) (b: f64) (c: f32) (d: f64) (e: f32) (f: f64) = (a, b, c, d, e, f)
entry arrays [n] [m] (a: [n]i32) (b: [2][1]bool) (c: [m]u8) (d: [0][3]u8) = (a, b, c, d)
entry spread_out [n] [m] (xss: [n][m]f32) (k: i64) = xss[0, 0] + xss[1, 0] + f32.i64 k
