-- Every operator of u8, u16, u32 and u64 as a member of its module, with extreme operands.
-- ==
-- entry: u8s
-- input { 7u8 2u8 2u8 }
-- output { [9u8, 5u8, 14u8, 3u8, 1u8, 3u8, 1u8, 2u8, 7u8, 5u8]
--          [28u8, 1u8, 49u8] [false, true, false, false, true, true] }
-- input { 255u8 3u8 1u8 }
-- output { [2u8, 252u8, 253u8, 85u8, 0u8, 85u8, 0u8, 3u8, 255u8, 252u8]
--          [254u8, 127u8, 255u8] [false, true, false, false, true, true] }
-- input { 0u8 255u8 7u8 }
-- output { [255u8, 1u8, 0u8, 0u8, 0u8, 0u8, 0u8, 0u8, 255u8, 255u8]
--          [0u8, 0u8, 0u8] [false, true, true, true, false, false] }
-- input { 200u8 200u8 5u8 }
-- output { [144u8, 0u8, 64u8, 1u8, 0u8, 1u8, 0u8, 200u8, 200u8, 0u8]
--          [0u8, 6u8, 0u8] [true, false, false, true, false, true] }

-- ==
-- entry: u16s
-- input { 7u16 2u16 2u16 }
-- output { [9u16, 5u16, 14u16, 3u16, 1u16, 3u16, 1u16, 2u16, 7u16, 5u16]
--          [28u16, 1u16, 49u16] [false, true, false, false, true, true] }
-- input { 65535u16 3u16 1u16 }
-- output { [2u16, 65532u16, 65533u16, 21845u16, 0u16, 21845u16, 0u16, 3u16, 65535u16, 65532u16]
--          [65534u16, 32767u16, 65535u16] [false, true, false, false, true, true] }
-- input { 0u16 65535u16 7u16 }
-- output { [65535u16, 1u16, 0u16, 0u16, 0u16, 0u16, 0u16, 0u16, 65535u16, 65535u16]
--          [0u16, 0u16, 0u16] [false, true, true, true, false, false] }
-- input { 200u16 200u16 5u16 }
-- output { [400u16, 0u16, 40000u16, 1u16, 0u16, 1u16, 0u16, 200u16, 200u16, 0u16]
--          [6400u16, 6u16, 32768u16] [true, false, false, true, false, true] }

-- ==
-- entry: u32s
-- input { 7u32 2u32 2u32 }
-- output { [9u32, 5u32, 14u32, 3u32, 1u32, 3u32, 1u32, 2u32, 7u32, 5u32]
--          [28u32, 1u32, 49u32] [false, true, false, false, true, true] }
-- input { 4294967295u32 3u32 1u32 }
-- output { [2u32, 4294967292u32, 4294967293u32, 1431655765u32, 0u32, 1431655765u32, 0u32, 3u32, 4294967295u32, 4294967292u32]
--          [4294967294u32, 2147483647u32, 4294967295u32] [false, true, false, false, true, true] }
-- input { 0u32 4294967295u32 7u32 }
-- output { [4294967295u32, 1u32, 0u32, 0u32, 0u32, 0u32, 0u32, 0u32, 4294967295u32, 4294967295u32]
--          [0u32, 0u32, 0u32] [false, true, true, true, false, false] }
-- input { 200u32 200u32 5u32 }
-- output { [400u32, 0u32, 40000u32, 1u32, 0u32, 1u32, 0u32, 200u32, 200u32, 0u32]
--          [6400u32, 6u32, 2172420096u32] [true, false, false, true, false, true] }

-- ==
-- entry: u64s
-- input { 7u64 2u64 2u64 }
-- output { [9u64, 5u64, 14u64, 3u64, 1u64, 3u64, 1u64, 2u64, 7u64, 5u64]
--          [28u64, 1u64, 49u64] [false, true, false, false, true, true] }
-- input { 18446744073709551615u64 3u64 1u64 }
-- output { [2u64, 18446744073709551612u64, 18446744073709551613u64, 6148914691236517205u64, 0u64, 6148914691236517205u64, 0u64, 3u64, 18446744073709551615u64, 18446744073709551612u64]
--          [18446744073709551614u64, 9223372036854775807u64, 18446744073709551615u64] [false, true, false, false, true, true] }
-- input { 0u64 18446744073709551615u64 7u64 }
-- output { [18446744073709551615u64, 1u64, 0u64, 0u64, 0u64, 0u64, 0u64, 0u64, 18446744073709551615u64, 18446744073709551615u64]
--          [0u64, 0u64, 0u64] [false, true, true, true, false, false] }
-- input { 200u64 200u64 5u64 }
-- output { [400u64, 0u64, 40000u64, 1u64, 0u64, 1u64, 0u64, 200u64, 200u64, 0u64]
--          [6400u64, 6u64, 320000000000u64] [true, false, false, true, false, true] }

entry u8s (x: u8) (y: u8) (k: u8) =
  ( [x u8.+ y, x u8.- y, x u8.* y, x u8./ y, x u8.% y
    , x u8.// y, x u8.%% y, x u8.& y, x u8.| y, x u8.^ y]
  , [(u8.<<) x k, (u8.>>>) x k, (u8.**) x k]
  , [x u8.== y, x u8.!= y, x u8.< y, x u8.<= y, x u8.> y, x u8.>= y] )

entry u16s (x: u16) (y: u16) (k: u16) =
  ( [x u16.+ y, x u16.- y, x u16.* y, x u16./ y, x u16.% y
    , x u16.// y, x u16.%% y, x u16.& y, x u16.| y, x u16.^ y]
  , [(u16.<<) x k, (u16.>>>) x k, (u16.**) x k]
  , [x u16.== y, x u16.!= y, x u16.< y, x u16.<= y, x u16.> y, x u16.>= y] )

entry u32s (x: u32) (y: u32) (k: u32) =
  ( [x u32.+ y, x u32.- y, x u32.* y, x u32./ y, x u32.% y
    , x u32.// y, x u32.%% y, x u32.& y, x u32.| y, x u32.^ y]
  , [(u32.<<) x k, (u32.>>>) x k, (u32.**) x k]
  , [x u32.== y, x u32.!= y, x u32.< y, x u32.<= y, x u32.> y, x u32.>= y] )

entry u64s (x: u64) (y: u64) (k: u64) =
  ( [x u64.+ y, x u64.- y, x u64.* y, x u64./ y, x u64.% y
    , x u64.// y, x u64.%% y, x u64.& y, x u64.| y, x u64.^ y]
  , [(u64.<<) x k, (u64.>>>) x k, (u64.**) x k]
  , [x u64.== y, x u64.!= y, x u64.< y, x u64.<= y, x u64.> y, x u64.>= y] )
