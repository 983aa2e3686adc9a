-- Every `T.S` conversion between the ten number types and bool exists and keeps small numbers.
-- ==
-- input { 0 } output { 0i32 false }
-- input { 1 } output { 103i32 true }
-- input { 7 } output { 661i32 true }

def to_i8 x =
  i8.i8 (i8.i32 x) + i8.i16 (i16.i32 x) + i8.i64 (i64.i32 x) + i8.u8 (u8.i32 x)
  + i8.u16 (u16.i32 x) + i8.u32 (u32.i32 x) + i8.u64 (u64.i32 x) + i8.f32 (f32.i32 x)
  + i8.f64 (f64.i32 x)
def to_i16 x =
  i16.i8 (i8.i32 x) + i16.i16 (i16.i32 x) + i16.i64 (i64.i32 x) + i16.u8 (u8.i32 x)
  + i16.u16 (u16.i32 x) + i16.u32 (u32.i32 x) + i16.u64 (u64.i32 x) + i16.f32 (f32.i32 x)
  + i16.f64 (f64.i32 x)
def to_i32 x =
  i32.i8 (i8.i32 x) + i32.i16 (i16.i32 x) + i32.i32 x + i32.i64 (i64.i32 x) + i32.u8 (u8.i32 x)
  + i32.u16 (u16.i32 x) + i32.u32 (u32.i32 x) + i32.u64 (u64.i32 x) + i32.f32 (f32.i32 x)
  + i32.f64 (f64.i32 x)
def to_i64 x =
  i64.i8 (i8.i32 x) + i64.i16 (i16.i32 x) + i64.i64 (i64.i32 x) + i64.u8 (u8.i32 x)
  + i64.u16 (u16.i32 x) + i64.u32 (u32.i32 x) + i64.u64 (u64.i32 x) + i64.f32 (f32.i32 x)
  + i64.f64 (f64.i32 x)
def to_u8 x =
  u8.i8 (i8.i32 x) + u8.i16 (i16.i32 x) + u8.i64 (i64.i32 x) + u8.u8 (u8.i32 x)
  + u8.u16 (u16.i32 x) + u8.u32 (u32.i32 x) + u8.u64 (u64.i32 x) + u8.f32 (f32.i32 x)
  + u8.f64 (f64.i32 x)
def to_u16 x =
  u16.i8 (i8.i32 x) + u16.i16 (i16.i32 x) + u16.i64 (i64.i32 x) + u16.u8 (u8.i32 x)
  + u16.u16 (u16.i32 x) + u16.u32 (u32.i32 x) + u16.u64 (u64.i32 x) + u16.f32 (f32.i32 x)
  + u16.f64 (f64.i32 x)
def to_u32 x =
  u32.i8 (i8.i32 x) + u32.i16 (i16.i32 x) + u32.i64 (i64.i32 x) + u32.u8 (u8.i32 x)
  + u32.u16 (u16.i32 x) + u32.u32 (u32.i32 x) + u32.u64 (u64.i32 x) + u32.f32 (f32.i32 x)
  + u32.f64 (f64.i32 x)
def to_u64 x =
  u64.i8 (i8.i32 x) + u64.i16 (i16.i32 x) + u64.i64 (i64.i32 x) + u64.u8 (u8.i32 x)
  + u64.u16 (u16.i32 x) + u64.u32 (u32.i32 x) + u64.u64 (u64.i32 x) + u64.f32 (f32.i32 x)
  + u64.f64 (f64.i32 x)
def to_f32 x =
  f32.i8 (i8.i32 x) + f32.i16 (i16.i32 x) + f32.i32 x + f32.i64 (i64.i32 x) + f32.u8 (u8.i32 x)
  + f32.u16 (u16.i32 x) + f32.u32 (u32.i32 x) + f32.u64 (u64.i32 x) + f32.f32 (f32.i32 x)
  + f32.f64 (f64.i32 x)
def to_f64 x =
  f64.i8 (i8.i32 x) + f64.i16 (i16.i32 x) + f64.i32 x + f64.i64 (i64.i32 x) + f64.u8 (u8.i32 x)
  + f64.u16 (u16.i32 x) + f64.u32 (u32.i32 x) + f64.u64 (u64.i32 x) + f64.f32 (f32.i32 x)
  + f64.f64 (f64.i32 x)
def to_bool x =
  bool.i8 (i8.i32 x) && bool.i16 (i16.i32 x) && bool.i32 x && bool.i64 (i64.i32 x)
  && bool.u8 (u8.i32 x) && bool.u16 (u16.i32 x) && bool.u32 (u32.i32 x) && bool.u64 (u64.i32 x)
  && bool.f32 (f32.i32 x) && bool.f64 (f64.i32 x) && bool.bool (x != 0)
def of_bool b =
  i32.i8 (i8.bool b) + i32.i16 (i16.bool b) + i32.bool b + i32.i64 (i64.bool b)
  + i32.u8 (u8.bool b) + i32.u16 (u16.bool b) + i32.u32 (u32.bool b) + i32.u64 (u64.bool b)
  + i32.f32 (f32.bool b) + i32.f64 (f64.bool b)

def main (x: i32) =
  (i32.i8 (to_i8 x) + i32.i16 (to_i16 x) + to_i32 x + i32.i64 (to_i64 x)
   + i32.u8 (to_u8 x) + i32.u16 (to_u16 x) + i32.u32 (to_u32 x) + i32.u64 (to_u64 x)
   + i32.f32 (to_f32 x) + i32.f64 (to_f64 x) + of_bool (to_bool x), to_bool x)
