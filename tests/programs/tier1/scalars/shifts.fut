-- `>>` keeps the sign of signed numbers and brings in zeros for unsigned ones; `<<` drops high bits.
-- ==
-- entry: signed8
-- input { -128i8 [0i8, 1i8, 6i8, 7i8] }
-- output { [-128i8, -64i8, -2i8, -1i8] [-128i8, 0i8, 0i8, 0i8] }
-- input { 3i8 [0i8, 1i8, 6i8, 7i8] }
-- output { [3i8, 1i8, 0i8, 0i8] [3i8, 6i8, -64i8, -128i8] }
-- input { 1i8 empty([0]i8) } output { empty([0]i8) empty([0]i8) }

-- ==
-- entry: unsigned8
-- input { 128u8 [0u8, 1u8, 6u8, 7u8] }
-- output { [128u8, 64u8, 2u8, 1u8] [128u8, 0u8, 0u8, 0u8] }

-- ==
-- entry: wide
-- input { -5 } output { -3 -20 -1i64 4611686018427387904u64 }
-- input { 0 } output { 0 0 -1i64 4611686018427387904u64 }

entry signed8 [n] (x: i8) (by: [n]i8) = (map (x >>) by, map (x <<) by)
entry unsigned8 [n] (x: u8) (by: [n]u8) = (map (x >>) by, map (x <<) by)
entry wide (x: i32) =
  (x >> 1, x << 2, i64.lowest >> 63, 0x8000000000000000u64 >> 1)
