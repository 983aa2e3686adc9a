-- Integers cannot be raised to a negative power; floats can.
-- ==
-- entry: ints
-- input { 2 0 } output { 1 }
-- input { 2 -1 } error: negative exponent
-- input { 1 -1 } error: negative exponent

-- ==
-- entry: longs
-- input { -3i64 -2147483648i64 } error: negative exponent
-- input { -3i64 3i64 } output { -27i64 }

-- ==
-- entry: floats
-- input { 2.0 -1.0 } output { 0.5 }

entry ints (b: i32) (e: i32) = b ** e
entry longs (b: i64) (e: i64) = b ** e
entry floats (b: f64) (e: f64) = b ** e
