-- Spellings of number literals: bases, underscores, suffixes, exponents.
-- ==
-- entry: integers
-- input { } output { 1000000 255 5 -16 255u8 18446744073709551615u64 -128i8 48879i64 }

-- ==
-- entry: floats
-- input { } output { 1.5 1500.0 0.0015 2f32 0.25f32 3f64 1000000f64 }

-- ==
-- entry: arrays
-- input { } output { [1u8, 2u8, 3u8] [[1f32, 2f32], [3f32, 4f32]] [true, false] }

entry integers =
  (1_000_000, 0xFF, 0b101, -0x10, 0xffu8, 0xFFFF_FFFF_FFFF_FFFFu64, -128i8, 0xBEEFi64)
entry floats = (1.5, 1.5e3, 1.5e-3, 2f32, 0.25f32, 3f64, 1e6)
entry arrays = ([1u8, 2, 3], [[1f32, 2], [3, 4]], [true, false])
