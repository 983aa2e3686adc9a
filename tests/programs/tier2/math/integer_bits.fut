-- Counting and touching the bits of integers of every width.
-- ==
-- input { [0, 1, -1, 40, -2147483648] }
-- output { [32, 31, 0, 26, 0] [32, 0, 0, 3, 31] [0, 1, 32, 2, 1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) = (map i32.clz xs, map i32.ctz xs, map i32.popc xs)

-- ==
-- entry: narrow
-- input { 0i8 0u8 } output { 8 8 0 8 8 0 }
-- input { -1i8 128u8 } output { 0 0 8 0 7 1 }
-- input { 12i8 12u8 } output { 4 2 2 4 2 2 }

entry narrow (a: i8) (b: u8) : (i32, i32, i32, i32, i32, i32) =
  (i8.clz a, i8.ctz a, i8.popc a, u8.clz b, u8.ctz b, u8.popc b)

-- ==
-- entry: middle
-- input { 0i16 256u16 } output { 16 16 0 7 8 1 }
-- input { -32768i16 65535u16 } output { 0 15 1 0 0 16 }

entry middle (a: i16) (b: u16) : (i32, i32, i32, i32, i32, i32) =
  (i16.clz a, i16.ctz a, i16.popc a, u16.clz b, u16.ctz b, u16.popc b)

-- ==
-- entry: wide
-- input { 0i64 4294967296u64 } output { 64 64 0 31 32 1 }
-- input { -1i64 18446744073709551615u64 } output { 0 0 64 0 0 64 }

entry wide (a: i64) (b: u64) : (i32, i32, i32, i32, i32, i32) =
  (i64.clz a, i64.ctz a, i64.popc a, u64.clz b, u64.ctz b, u64.popc b)

-- ==
-- entry: single_bits
-- input { 10 1 } output { 1 8 10 }
-- input { 10 0 } output { 0 10 11 }
-- input { -1 31 } output { 1 2147483647 -1 }

entry single_bits (x: i32) (k: i32) : (i32, i32, i32) = (i32.get_bit k x, i32.set_bit k x 0, i32.set_bit k x 1)

-- ==
-- entry: single_bits_wide
-- input { 10u64 -3i64 } output { 26u64 2u64 0 1 }
-- input { 9223372036854775823u64 9i64 } output { 31u64 7u64 1 0 }

entry single_bits_wide (x: u64) (y: i64) : (u64, u64, i32, i32) =
  (u64.set_bit 4 (x & 0xff) 1, u64.set_bit 3 (x & 0xff) 0, u64.get_bit 63 x, i64.get_bit 63 y)

-- ==
-- entry: single_bits_narrow
-- input { -128i8 0u16 } output { 0i8 -127i8 32768u16 }

entry single_bits_narrow (x: i8) (y: u16) : (i8, i8, u16) =
  (i8.set_bit 7 x 0, i8.set_bit 0 x 1, u16.set_bit 15 y 1)

-- ==
-- entry: widths
-- input { } output { [8, 16, 32, 64, 8, 16, 32, 64] }

entry widths : []i32 =
  [ i8.num_bits, i16.num_bits, i32.num_bits, i64.num_bits
  , u8.num_bits, u16.num_bits, u32.num_bits, u64.num_bits]

-- ==
-- entry: next_power_of_two
-- input { [1, 2, 3, 17, 1024, 1025] } output { [1, 2, 4, 32, 1024, 2048] }

entry next_power_of_two [n] (xs: [n]i32) : [n]i32 = map (\x -> 1 << (32 - i32.clz (x - 1))) xs
