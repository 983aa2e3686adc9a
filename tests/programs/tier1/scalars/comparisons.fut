-- All six comparisons on every kind of number.
-- ==
-- entry: signed
-- input { -1i8 1i8 } output { [false, true, true, true, false, false] }
-- input { 5i8 5i8 } output { [true, false, false, true, false, true] }
-- input { 127i8 -128i8 } output { [false, true, false, false, true, true] }

-- ==
-- entry: unsigned
-- input { 255u16 1u16 } output { [false, true, false, false, true, true] }
-- input { 32768u16 32767u16 } output { [false, true, false, false, true, true] }
-- input { 0u16 0u16 } output { [true, false, false, true, false, true] }

-- ==
-- entry: floats
-- input { 1f32 2f32 } output { [false, true, true, true, false, false] }
-- input { 0f32 -0f32 } output { [true, false, false, true, false, true] }
-- input { f32.nan 1f32 } output { [false, true, false, false, false, false] }
-- input { f32.nan f32.nan } output { [false, true, false, false, false, false] }
-- input { -f32.inf f32.inf } output { [false, true, true, true, false, false] }

entry signed (x: i8) (y: i8) = [x == y, x != y, x < y, x <= y, x > y, x >= y]
entry unsigned (x: u16) (y: u16) = [x == y, x != y, x < y, x <= y, x > y, x >= y]
entry floats (x: f32) (y: f32) = [x == y, x != y, x < y, x <= y, x > y, x >= y]
