-- Signed addition, subtraction and multiplication wrap around at every width.
-- ==
-- entry: arith_i8
-- input { 127i8 1i8 } output { -128i8 126i8 127i8 }
-- input { -128i8 -1i8 } output { 127i8 -127i8 -128i8 }
-- input { 100i8 100i8 } output { -56i8 0i8 16i8 }
-- input { 0i8 -128i8 } output { -128i8 -128i8 0i8 }

-- ==
-- entry: arith_i16
-- input { 32767i16 1i16 } output { -32768i16 32766i16 32767i16 }
-- input { -32768i16 -32768i16 } output { 0i16 0i16 0i16 }
-- input { 300i16 -300i16 } output { 0i16 600i16 -24464i16 }

-- ==
-- entry: arith_i32
-- input { 2147483647 1 } output { -2147483648 2147483646 2147483647 }
-- input { -2147483648 1 } output { -2147483647 2147483647 -2147483648 }
-- input { 65536 65536 } output { 131072 0 0 }

-- ==
-- entry: arith_i64
-- input { 9223372036854775807i64 1i64 }
-- output { -9223372036854775808i64 9223372036854775806i64 9223372036854775807i64 }
-- input { 4294967296i64 -4294967296i64 } output { 0i64 8589934592i64 0i64 }

entry arith_i8 (x: i8) (y: i8) = (x + y, x - y, x * y)
entry arith_i16 (x: i16) (y: i16) = (x + y, x - y, x * y)
entry arith_i32 (x: i32) (y: i32) = (x + y, x - y, x * y)
entry arith_i64 (x: i64) (y: i64) = (x + y, x - y, x * y)
