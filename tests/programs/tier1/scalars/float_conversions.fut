-- Float to integer truncates towards zero; integer to float and f64 to f32 round.
-- ==
-- entry: to_int
-- input { 2.9f64 } output { 2 2i64 2i8 2u16 }
-- input { -2.9f64 } output { -2 -2i64 -2i8 65534u16 }
-- input { 0.5f64 } output { 0 0i64 0i8 0u16 }

-- ==
-- entry: from_int
-- input { 16777217 } output { 16777216f32 16777217f64 }
-- input { -3 } output { -3f32 -3f64 }

-- ==
-- entry: from_unsigned
-- input { 200u8 4294967295u32 } output { 200f32 4294967295f64 }

-- ==
-- entry: precision
-- input { 0.1f64 } output { 0.1f32 true }
-- input { 0.5f64 } output { 0.5f32 false }
-- input { 1e300f64 } output { f32.inf true }

-- ==
-- entry: generic
-- input { 7i64 } output { 7f64 7 7u8 7i64 }

entry to_int (x: f64) = (i32.f64 x, i64.f64 x, i8.f64 x, u16.i32 (i32.f64 x))
entry from_int (x: i32) = (f32.i32 x, f64.i32 x)
entry from_unsigned (x: u8) (y: u32) = (f32.u8 x, f64.u32 y)
entry precision (x: f64) = (f32.f64 x, f64.f32 (f32.f64 x) != x)
entry generic (x: i64) = (f64.i64 x, i32.i64 x, u8.i64 x, i64.f64 (f64.i64 x))
