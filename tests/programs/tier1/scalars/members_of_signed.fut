-- Every member of the modules i8, i16, i32 and i64, with negative and extreme arguments.
-- ==
-- entry: i8s
-- input { -5i8 3i8 1i8 0 }
-- output { [-1i8, -15i8, -5i8, 3i8] [5i8, -1i8, 5i8, 4i8, -5i8, 3i8]
--          [7, 0, 0, 8, 1] [1i8, 0i8, -1i8, 0i8] }
-- input { 0i8 -1i8 7i8 3 }
-- output { [6i8, 0i8, -1i8, 7i8] [0i8, 0i8, 0i8, -1i8, -1i8, 0i8]
--          [0, 8, 8, 8, 0] [15i8, 7i8, 0i8, 7i8] }
-- input { 127i8 -2i8 127i8 5 }
-- output { [-4i8, -2i8, -2i8, 127i8] [127i8, 1i8, -127i8, -128i8, -2i8, 127i8]
--          [7, 1, 0, 8, 1] [127i8, 95i8, -1i8, 126i8] }
-- input { -128i8 2i8 0i8 6 }
-- output { [-126i8, 0i8, -128i8, 2i8] [-128i8, -1i8, -128i8, 127i8, -128i8, 2i8]
--          [1, 0, 7, 8, 0] [64i8, 0i8, -1i8, -1i8] }

-- ==
-- entry: i16s
-- input { -5i16 3i16 1i16 0 }
-- output { [-1i16, -15i16, -5i16, 3i16] [5i16, -1i16, 5i16, 4i16, -5i16, 3i16]
--          [15, 0, 0, 16, 1] [1i16, 0i16, -1i16, 0i16] }
-- input { 0i16 -1i16 7i16 3 }
-- output { [6i16, 0i16, -1i16, 7i16] [0i16, 0i16, 0i16, -1i16, -1i16, 0i16]
--          [0, 16, 16, 16, 0] [15i16, 7i16, 0i16, 7i16] }
-- input { 32767i16 -2i16 32767i16 5 }
-- output { [-4i16, -2i16, -2i16, 32767i16] [32767i16, 1i16, -32767i16, -32768i16, -2i16, 32767i16]
--          [15, 1, 0, 16, 1] [32767i16, 32735i16, -1i16, 32766i16] }
-- input { -32768i16 2i16 0i16 6 }
-- output { [-32766i16, 0i16, -32768i16, 2i16] [-32768i16, -1i16, -32768i16, 32767i16, -32768i16, 2i16]
--          [1, 0, 15, 16, 0] [64i16, 0i16, -1i16, -1i16] }

-- ==
-- entry: i32s
-- input { -5i32 3i32 1i32 0 }
-- output { [-1i32, -15i32, -5i32, 3i32] [5i32, -1i32, 5i32, 4i32, -5i32, 3i32]
--          [31, 0, 0, 32, 1] [1i32, 0i32, -1i32, 0i32] }
-- input { 0i32 -1i32 7i32 3 }
-- output { [6i32, 0i32, -1i32, 7i32] [0i32, 0i32, 0i32, -1i32, -1i32, 0i32]
--          [0, 32, 32, 32, 0] [15i32, 7i32, 0i32, 7i32] }
-- input { 2147483647i32 -2i32 2147483647i32 5 }
-- output { [-4i32, -2i32, -2i32, 2147483647i32] [2147483647i32, 1i32, -2147483647i32, -2147483648i32, -2i32, 2147483647i32]
--          [31, 1, 0, 32, 1] [2147483647i32, 2147483615i32, -1i32, 2147483646i32] }
-- input { -2147483648i32 2i32 0i32 6 }
-- output { [-2147483646i32, 0i32, -2147483648i32, 2i32] [-2147483648i32, -1i32, -2147483648i32, 2147483647i32, -2147483648i32, 2i32]
--          [1, 0, 31, 32, 0] [64i32, 0i32, -1i32, -1i32] }

-- ==
-- entry: i64s
-- input { -5i64 3i64 1i64 0 }
-- output { [-1i64, -15i64, -5i64, 3i64] [5i64, -1i64, 5i64, 4i64, -5i64, 3i64]
--          [63, 0, 0, 64, 1] [1i64, 0i64, -1i64, 0i64] }
-- input { 0i64 -1i64 7i64 3 }
-- output { [6i64, 0i64, -1i64, 7i64] [0i64, 0i64, 0i64, -1i64, -1i64, 0i64]
--          [0, 64, 64, 64, 0] [15i64, 7i64, 0i64, 7i64] }
-- input { 9223372036854775807i64 -2i64 9223372036854775807i64 5 }
-- output { [-4i64, -2i64, -2i64, 9223372036854775807i64] [9223372036854775807i64, 1i64, -9223372036854775807i64, -9223372036854775808i64, -2i64, 9223372036854775807i64]
--          [63, 1, 0, 64, 1] [9223372036854775807i64, 9223372036854775775i64, -1i64, 9223372036854775806i64] }
-- input { -9223372036854775808i64 2i64 0i64 6 }
-- output { [-9223372036854775806i64, 0i64, -9223372036854775808i64, 2i64] [-9223372036854775808i64, -1i64, -9223372036854775808i64, 9223372036854775807i64, -9223372036854775808i64, 2i64]
--          [1, 0, 63, 64, 0] [64i64, 0i64, -1i64, -1i64] }

entry i8s (x: i8) (y: i8) (z: i8) (k: i32) =
  let xs = [x, y, z]
  in ( [i8.sum xs, i8.product xs, i8.minimum xs, i8.maximum xs]
     , [i8.abs x, i8.sgn x, i8.neg x, i8.not x, i8.min x y, i8.max x y]
     , [i8.popc x, i8.clz x, i8.ctz x, i8.num_bits, i8.get_bit k x]
     , [i8.set_bit k z 1, i8.set_bit k z 0, i8.mul_hi x y, i8.mad_hi x y z] )

entry i16s (x: i16) (y: i16) (z: i16) (k: i32) =
  let xs = [x, y, z]
  in ( [i16.sum xs, i16.product xs, i16.minimum xs, i16.maximum xs]
     , [i16.abs x, i16.sgn x, i16.neg x, i16.not x, i16.min x y, i16.max x y]
     , [i16.popc x, i16.clz x, i16.ctz x, i16.num_bits, i16.get_bit k x]
     , [i16.set_bit k z 1, i16.set_bit k z 0, i16.mul_hi x y, i16.mad_hi x y z] )

entry i32s (x: i32) (y: i32) (z: i32) (k: i32) =
  let xs = [x, y, z]
  in ( [i32.sum xs, i32.product xs, i32.minimum xs, i32.maximum xs]
     , [i32.abs x, i32.sgn x, i32.neg x, i32.not x, i32.min x y, i32.max x y]
     , [i32.popc x, i32.clz x, i32.ctz x, i32.num_bits, i32.get_bit k x]
     , [i32.set_bit k z 1, i32.set_bit k z 0, i32.mul_hi x y, i32.mad_hi x y z] )

entry i64s (x: i64) (y: i64) (z: i64) (k: i32) =
  let xs = [x, y, z]
  in ( [i64.sum xs, i64.product xs, i64.minimum xs, i64.maximum xs]
     , [i64.abs x, i64.sgn x, i64.neg x, i64.not x, i64.min x y, i64.max x y]
     , [i64.popc x, i64.clz x, i64.ctz x, i64.num_bits, i64.get_bit k x]
     , [i64.set_bit k z 1, i64.set_bit k z 0, i64.mul_hi x y, i64.mad_hi x y z] )
