-- The bit patterns of floats, and rebuilding floats from them.
-- ==
-- entry: bits32
-- input { 1f32 } output { 1065353216u32 1f32 false }
-- input { -0.5f32 } output { 3204448256u32 -0.5f32 true }
-- input { 0f32 } output { 0u32 0f32 false }
-- input { f32.inf } output { 2139095040u32 f32.inf false }

-- ==
-- entry: bits64
-- input { 1f64 } output { 4607182418800017408u64 1f64 }
-- input { -2f64 } output { 13835058055282163712u64 -2f64 }

-- ==
-- entry: pieces
-- input { 3f64 } output { 24f64 -3f64 }

entry bits32 (x: f32) =
  let b = f32.to_bits x
  in (b, f32.from_bits b, b >> 31 == 1)
entry bits64 (x: f64) = (f64.to_bits x, f64.from_bits (f64.to_bits x))
entry pieces (x: f64) = (f64.ldexp x 3, f64.copysign x (-1))
