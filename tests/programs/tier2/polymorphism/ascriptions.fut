-- A type ascription decides the type of literals and of overloaded expressions.
-- ==
-- input { 200u8 } output { 44u8 300i64 1.5f32 }

def main (x: u8) : (u8, i64, f32) =
  let wrapped = (100 : u8) + x
  let wide = (100 : i64) + i64.u8 x
  in (wrapped, wide, (3 : f32) / 2)

-- ==
-- entry: in_patterns
-- input { [1.0, 2.0] } output { 4.0f32 2i64 }

entry in_patterns [n] (xs: [n]f64) : (f32, i64) =
  let (total: f32, count: i64) = (f32.f64 (f64.sum xs) + 1, n)
  in (total, count)

-- ==
-- entry: literal_defaults
-- input { } output { 7 3.5 }

entry literal_defaults = (7, 3.5)

-- ==
-- entry: integer_literal_as_float
-- input { 3.0f32 } output { 10.0f32 }

entry integer_literal_as_float (x: f32) : f32 = 3 * x + 1
