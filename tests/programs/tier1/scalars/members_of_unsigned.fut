-- Every member of the modules u8, u16, u32 and u64, with the top bit set and without.
-- ==
-- entry: u8s
-- input { 5u8 3u8 1u8 0 }
-- output { [9u8, 15u8, 1u8, 5u8] [5u8, 1u8, 251u8, 250u8, 3u8, 5u8]
--          [2, 5, 0, 8, 1] [1u8, 0u8, 0u8, 1u8] }
-- input { 0u8 255u8 7u8 3 }
-- output { [6u8, 0u8, 0u8, 255u8] [0u8, 0u8, 0u8, 255u8, 0u8, 255u8]
--          [0, 8, 8, 8, 0] [15u8, 7u8, 0u8, 7u8] }
-- input { 255u8 255u8 0u8 5 }
-- output { [254u8, 0u8, 0u8, 255u8] [255u8, 1u8, 1u8, 0u8, 255u8, 255u8]
--          [8, 0, 0, 8, 1] [32u8, 0u8, 254u8, 254u8] }
-- input { 128u8 2u8 1u8 6 }
-- output { [131u8, 0u8, 1u8, 128u8] [128u8, 1u8, 128u8, 127u8, 2u8, 128u8]
--          [1, 0, 7, 8, 0] [65u8, 1u8, 1u8, 2u8] }

-- ==
-- entry: u16s
-- input { 5u16 3u16 1u16 0 }
-- output { [9u16, 15u16, 1u16, 5u16] [5u16, 1u16, 65531u16, 65530u16, 3u16, 5u16]
--          [2, 13, 0, 16, 1] [1u16, 0u16, 0u16, 1u16] }
-- input { 0u16 65535u16 7u16 3 }
-- output { [6u16, 0u16, 0u16, 65535u16] [0u16, 0u16, 0u16, 65535u16, 0u16, 65535u16]
--          [0, 16, 16, 16, 0] [15u16, 7u16, 0u16, 7u16] }
-- input { 65535u16 65535u16 0u16 5 }
-- output { [65534u16, 0u16, 0u16, 65535u16] [65535u16, 1u16, 1u16, 0u16, 65535u16, 65535u16]
--          [16, 0, 0, 16, 1] [32u16, 0u16, 65534u16, 65534u16] }
-- input { 32768u16 2u16 1u16 6 }
-- output { [32771u16, 0u16, 1u16, 32768u16] [32768u16, 1u16, 32768u16, 32767u16, 2u16, 32768u16]
--          [1, 0, 15, 16, 0] [65u16, 1u16, 1u16, 2u16] }

-- ==
-- entry: u32s
-- input { 5u32 3u32 1u32 0 }
-- output { [9u32, 15u32, 1u32, 5u32] [5u32, 1u32, 4294967291u32, 4294967290u32, 3u32, 5u32]
--          [2, 29, 0, 32, 1] [1u32, 0u32, 0u32, 1u32] }
-- input { 0u32 4294967295u32 7u32 3 }
-- output { [6u32, 0u32, 0u32, 4294967295u32] [0u32, 0u32, 0u32, 4294967295u32, 0u32, 4294967295u32]
--          [0, 32, 32, 32, 0] [15u32, 7u32, 0u32, 7u32] }
-- input { 4294967295u32 4294967295u32 0u32 5 }
-- output { [4294967294u32, 0u32, 0u32, 4294967295u32] [4294967295u32, 1u32, 1u32, 0u32, 4294967295u32, 4294967295u32]
--          [32, 0, 0, 32, 1] [32u32, 0u32, 4294967294u32, 4294967294u32] }
-- input { 2147483648u32 2u32 1u32 6 }
-- output { [2147483651u32, 0u32, 1u32, 2147483648u32] [2147483648u32, 1u32, 2147483648u32, 2147483647u32, 2u32, 2147483648u32]
--          [1, 0, 31, 32, 0] [65u32, 1u32, 1u32, 2u32] }

-- ==
-- entry: u64s
-- input { 5u64 3u64 1u64 0 }
-- output { [9u64, 15u64, 1u64, 5u64] [5u64, 1u64, 18446744073709551611u64, 18446744073709551610u64, 3u64, 5u64]
--          [2, 61, 0, 64, 1] [1u64, 0u64, 0u64, 1u64] }
-- input { 0u64 18446744073709551615u64 7u64 3 }
-- output { [6u64, 0u64, 0u64, 18446744073709551615u64] [0u64, 0u64, 0u64, 18446744073709551615u64, 0u64, 18446744073709551615u64]
--          [0, 64, 64, 64, 0] [15u64, 7u64, 0u64, 7u64] }
-- input { 18446744073709551615u64 18446744073709551615u64 0u64 5 }
-- output { [18446744073709551614u64, 0u64, 0u64, 18446744073709551615u64] [18446744073709551615u64, 1u64, 1u64, 0u64, 18446744073709551615u64, 18446744073709551615u64]
--          [64, 0, 0, 64, 1] [32u64, 0u64, 18446744073709551614u64, 18446744073709551614u64] }
-- input { 9223372036854775808u64 2u64 1u64 6 }
-- output { [9223372036854775811u64, 0u64, 1u64, 9223372036854775808u64] [9223372036854775808u64, 1u64, 9223372036854775808u64, 9223372036854775807u64, 2u64, 9223372036854775808u64]
--          [1, 0, 63, 64, 0] [65u64, 1u64, 1u64, 2u64] }

entry u8s (x: u8) (y: u8) (z: u8) (k: i32) =
  let xs = [x, y, z]
  in ( [u8.sum xs, u8.product xs, u8.minimum xs, u8.maximum xs]
     , [u8.abs x, u8.sgn x, u8.neg x, u8.not x, u8.min x y, u8.max x y]
     , [u8.popc x, u8.clz x, u8.ctz x, u8.num_bits, u8.get_bit k x]
     , [u8.set_bit k z 1, u8.set_bit k z 0, u8.mul_hi x y, u8.mad_hi x y z] )

entry u16s (x: u16) (y: u16) (z: u16) (k: i32) =
  let xs = [x, y, z]
  in ( [u16.sum xs, u16.product xs, u16.minimum xs, u16.maximum xs]
     , [u16.abs x, u16.sgn x, u16.neg x, u16.not x, u16.min x y, u16.max x y]
     , [u16.popc x, u16.clz x, u16.ctz x, u16.num_bits, u16.get_bit k x]
     , [u16.set_bit k z 1, u16.set_bit k z 0, u16.mul_hi x y, u16.mad_hi x y z] )

entry u32s (x: u32) (y: u32) (z: u32) (k: i32) =
  let xs = [x, y, z]
  in ( [u32.sum xs, u32.product xs, u32.minimum xs, u32.maximum xs]
     , [u32.abs x, u32.sgn x, u32.neg x, u32.not x, u32.min x y, u32.max x y]
     , [u32.popc x, u32.clz x, u32.ctz x, u32.num_bits, u32.get_bit k x]
     , [u32.set_bit k z 1, u32.set_bit k z 0, u32.mul_hi x y, u32.mad_hi x y z] )

entry u64s (x: u64) (y: u64) (z: u64) (k: i32) =
  let xs = [x, y, z]
  in ( [u64.sum xs, u64.product xs, u64.minimum xs, u64.maximum xs]
     , [u64.abs x, u64.sgn x, u64.neg x, u64.not x, u64.min x y, u64.max x y]
     , [u64.popc x, u64.clz x, u64.ctz x, u64.num_bits, u64.get_bit k x]
     , [u64.set_bit k z 1, u64.set_bit k z 0, u64.mul_hi x y, u64.mad_hi x y z] )
