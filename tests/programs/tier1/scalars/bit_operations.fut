-- And, or, xor, complement, counting bits, and single-bit access.
-- ==
-- entry: bitwise
-- input { 12 10 } output { 8 14 6 -13 }
-- input { -1 255 } output { 255 -1 -256 0 }
-- input { 0 -2147483648 } output { 0 -2147483648 -2147483648 -1 }

-- ==
-- entry: counts
-- input { 0u32 } output { 0 32 32 }
-- input { 1u32 } output { 1 31 0 }
-- input { 4042322160u32 } output { 16 0 4 }

-- ==
-- entry: counts8
-- input { -1i8 } output { 8 0 0 }
-- input { 0i8 } output { 0 8 8 }
-- input { 20i8 } output { 2 3 2 }

-- ==
-- entry: single
-- input { 10u8 } output { [0, 1, 0, 1, 0, 0, 0, 0] 11u8 8u8 }

-- ==
-- entry: roundtrip
-- input { 0 } output { 0 32 }
-- input { -1431655766 } output { -1431655766 32 }

entry bitwise (x: i32) (y: i32) = (x & y, x | y, x ^ y, !x)
entry counts (x: u32) = (u32.popc x, u32.clz x, u32.ctz x)
entry counts8 (x: i8) = (i8.popc x, i8.clz x, i8.ctz x)
entry single (x: u8) =
  (map (\i -> u8.get_bit (i32.i64 i) x) (iota 8), u8.set_bit 0 x 1, u8.set_bit 1 x 0)
entry roundtrip (x: i32) =
  (loop acc = 0 for i < i32.num_bits do i32.set_bit i acc (i32.get_bit i x), i32.num_bits)
