-- Every operator of i8, i16, i32 and i64 as a member of its module, with extreme operands.
-- ==
-- entry: i8s
-- input { 7i8 -2i8 2i8 }
-- output { [5i8, 9i8, -14i8, -4i8, -1i8, -3i8, 1i8, 6i8, -1i8, -7i8]
--          [28i8, 1i8, 1i8, 49i8] [false, true, false, false, true, true] }
-- input { -7i8 2i8 3i8 }
-- output { [-5i8, -9i8, -14i8, -4i8, 1i8, -3i8, -1i8, 0i8, -5i8, -5i8]
--          [-56i8, -1i8, 31i8, -87i8] [false, true, true, true, false, false] }
-- input { 127i8 -1i8 1i8 }
-- output { [126i8, -128i8, -127i8, -127i8, 0i8, -127i8, 0i8, 127i8, -1i8, -128i8]
--          [-2i8, 63i8, 63i8, 127i8] [false, true, false, false, true, true] }
-- input { -128i8 127i8 0i8 }
-- output { [-1i8, 1i8, -128i8, -2i8, 126i8, -1i8, -1i8, 0i8, -1i8, -1i8]
--          [-128i8, -128i8, -128i8, 1i8] [false, true, true, true, false, false] }

-- ==
-- entry: i16s
-- input { 7i16 -2i16 2i16 }
-- output { [5i16, 9i16, -14i16, -4i16, -1i16, -3i16, 1i16, 6i16, -1i16, -7i16]
--          [28i16, 1i16, 1i16, 49i16] [false, true, false, false, true, true] }
-- input { -7i16 2i16 3i16 }
-- output { [-5i16, -9i16, -14i16, -4i16, 1i16, -3i16, -1i16, 0i16, -5i16, -5i16]
--          [-56i16, -1i16, 8191i16, -343i16] [false, true, true, true, false, false] }
-- input { 32767i16 -1i16 1i16 }
-- output { [32766i16, -32768i16, -32767i16, -32767i16, 0i16, -32767i16, 0i16, 32767i16, -1i16, -32768i16]
--          [-2i16, 16383i16, 16383i16, 32767i16] [false, true, false, false, true, true] }
-- input { -32768i16 32767i16 0i16 }
-- output { [-1i16, 1i16, -32768i16, -2i16, 32766i16, -1i16, -1i16, 0i16, -1i16, -1i16]
--          [-32768i16, -32768i16, -32768i16, 1i16] [false, true, true, true, false, false] }

-- ==
-- entry: i32s
-- input { 7i32 -2i32 2i32 }
-- output { [5i32, 9i32, -14i32, -4i32, -1i32, -3i32, 1i32, 6i32, -1i32, -7i32]
--          [28i32, 1i32, 1i32, 49i32] [false, true, false, false, true, true] }
-- input { -7i32 2i32 3i32 }
-- output { [-5i32, -9i32, -14i32, -4i32, 1i32, -3i32, -1i32, 0i32, -5i32, -5i32]
--          [-56i32, -1i32, 536870911i32, -343i32] [false, true, true, true, false, false] }
-- input { 2147483647i32 -1i32 1i32 }
-- output { [2147483646i32, -2147483648i32, -2147483647i32, -2147483647i32, 0i32, -2147483647i32, 0i32, 2147483647i32, -1i32, -2147483648i32]
--          [-2i32, 1073741823i32, 1073741823i32, 2147483647i32] [false, true, false, false, true, true] }
-- input { -2147483648i32 2147483647i32 0i32 }
-- output { [-1i32, 1i32, -2147483648i32, -2i32, 2147483646i32, -1i32, -1i32, 0i32, -1i32, -1i32]
--          [-2147483648i32, -2147483648i32, -2147483648i32, 1i32] [false, true, true, true, false, false] }

-- ==
-- entry: i64s
-- input { 7i64 -2i64 2i64 }
-- output { [5i64, 9i64, -14i64, -4i64, -1i64, -3i64, 1i64, 6i64, -1i64, -7i64]
--          [28i64, 1i64, 1i64, 49i64] [false, true, false, false, true, true] }
-- input { -7i64 2i64 3i64 }
-- output { [-5i64, -9i64, -14i64, -4i64, 1i64, -3i64, -1i64, 0i64, -5i64, -5i64]
--          [-56i64, -1i64, 2305843009213693951i64, -343i64] [false, true, true, true, false, false] }
-- input { 9223372036854775807i64 -1i64 1i64 }
-- output { [9223372036854775806i64, -9223372036854775808i64, -9223372036854775807i64, -9223372036854775807i64, 0i64, -9223372036854775807i64, 0i64, 9223372036854775807i64, -1i64, -9223372036854775808i64]
--          [-2i64, 4611686018427387903i64, 4611686018427387903i64, 9223372036854775807i64] [false, true, false, false, true, true] }
-- input { -9223372036854775808i64 9223372036854775807i64 0i64 }
-- output { [-1i64, 1i64, -9223372036854775808i64, -2i64, 9223372036854775806i64, -1i64, -1i64, 0i64, -1i64, -1i64]
--          [-9223372036854775808i64, -9223372036854775808i64, -9223372036854775808i64, 1i64] [false, true, true, true, false, false] }

entry i8s (x: i8) (y: i8) (k: i8) =
  ( [x i8.+ y, x i8.- y, x i8.* y, x i8./ y, x i8.% y
    , x i8.// y, x i8.%% y, x i8.& y, x i8.| y, x i8.^ y]
  , [(i8.<<) x k, (i8.>>) x k, (i8.>>>) x k, (i8.**) x k]
  , [x i8.== y, x i8.!= y, x i8.< y, x i8.<= y, x i8.> y, x i8.>= y] )

entry i16s (x: i16) (y: i16) (k: i16) =
  ( [x i16.+ y, x i16.- y, x i16.* y, x i16./ y, x i16.% y
    , x i16.// y, x i16.%% y, x i16.& y, x i16.| y, x i16.^ y]
  , [(i16.<<) x k, (i16.>>) x k, (i16.>>>) x k, (i16.**) x k]
  , [x i16.== y, x i16.!= y, x i16.< y, x i16.<= y, x i16.> y, x i16.>= y] )

entry i32s (x: i32) (y: i32) (k: i32) =
  ( [x i32.+ y, x i32.- y, x i32.* y, x i32./ y, x i32.% y
    , x i32.// y, x i32.%% y, x i32.& y, x i32.| y, x i32.^ y]
  , [(i32.<<) x k, (i32.>>) x k, (i32.>>>) x k, (i32.**) x k]
  , [x i32.== y, x i32.!= y, x i32.< y, x i32.<= y, x i32.> y, x i32.>= y] )

entry i64s (x: i64) (y: i64) (k: i64) =
  ( [x i64.+ y, x i64.- y, x i64.* y, x i64./ y, x i64.% y
    , x i64.// y, x i64.%% y, x i64.& y, x i64.| y, x i64.^ y]
  , [(i64.<<) x k, (i64.>>) x k, (i64.>>>) x k, (i64.**) x k]
  , [x i64.== y, x i64.!= y, x i64.< y, x i64.<= y, x i64.> y, x i64.>= y] )
