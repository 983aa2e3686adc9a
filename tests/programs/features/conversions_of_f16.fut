-- f16 from and to every type, and every number as an i64.
-- ==
-- entry: from
-- input { 100i8 100u8 false } output { [100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16, 100.0f16] 0.0f16 }
-- input { 0i8 0u8 false } output { [0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16] 0.0f16 }
-- input { 7i8 7u8 true } output { [7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16, 7.0f16] 1.0f16 }

-- ==
-- entry: to
-- input { 2.5f16 } output { 2i8 2i16 2i32 2i64 2u8 2u16 2u32 2u64 2.5f32 2.5 true }
-- input { 0.0f16 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 0.0f32 0.0 false }

-- ==
-- entry: as_i64
-- input { -3i8 200u8 -2.75f16 }
-- output { [-3i64, -3i64, -3i64, -3i64, 200i64, 200i64, 200i64, 200i64, -2i64, -2i64, -2i64] }

entry from (x: i8) (u: u8) (b: bool) =
  ( [ f16.i8 x, f16.i16 (i16.i8 x), f16.i32 (i32.i8 x), f16.i64 (i64.i8 x)
    , f16.u8 u, f16.u16 (u16.u8 u), f16.u32 (u32.u8 u), f16.u64 (u64.u8 u)
    , f16.f16 (f16.i8 x), f16.f32 (f32.i8 x), f16.f64 (f64.i8 x), f16.i64 (i64.u8 u) ]
  , f16.bool b )
entry to (x: f16) =
  ( i8.f16 x, i16.f16 x, i32.f16 x, i64.f16 x
  , u8.f16 x, u16.f16 x, u32.f16 x, u64.f16 x
  , f32.f16 x, f64.f16 x, bool.f16 x )
entry as_i64 (x: i8) (u: u8) (f: f16) =
  [ i8.to_i64 x, i16.to_i64 (i16.i8 x), i32.to_i64 (i32.i8 x), i64.to_i64 (i64.i8 x)
  , u8.to_i64 u, u16.to_i64 (u16.u8 u), u32.to_i64 (u32.u8 u), u64.to_i64 (u64.u8 u)
  , f16.to_i64 f, f32.to_i64 (f32.f16 f), f64.to_i64 (f64.f16 f) ]
