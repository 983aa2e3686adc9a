-- get_bit and set_bit reach every one of the 64 bits and leave the others alone (0.25.32 loses the upper half).
-- ==
-- entry: set_signed
-- input { 0i64 40 } output { 1099511627776i64 0i64 }
-- input { -1i64 63 } output { -1i64 9223372036854775807i64 }
-- input { -1i64 31 } output { -1i64 -2147483649i64 }

-- ==
-- entry: set_unsigned
-- input { 18446744073709551615u64 5 } output { 18446744073709551615u64 18446744073709551583u64 }
-- input { 9223372036854775808u64 0 } output { 9223372036854775809u64 9223372036854775808u64 }

-- ==
-- entry: set_float
-- input { -2.5 } output { 2.5 -2.5000000000000004 true }

-- ==
-- entry: rebuilt
-- input { -6148914691236517206i64 } output { true }
-- input { 0i64 } output { true }

entry set_signed (x: i64) (k: i32) = (i64.set_bit k x 1, i64.set_bit k x 0)
entry set_unsigned (x: u64) (k: i32) = (u64.set_bit k x 1, u64.set_bit k x 0)
entry set_float (x: f64) =
  (f64.set_bit 63 x 0, f64.set_bit 0 x 1, f64.to_bits (f64.set_bit 0 x 1) == f64.to_bits x + 1)
entry rebuilt (x: i64) =
  (loop acc = 0i64 for i < i64.num_bits do i64.set_bit i acc (i64.get_bit i x)) == x
