-- Roots, exponentials and logarithms, for both float types.
-- ==
-- entry: f64s
-- input { 2.0 }
-- output { [1.4142135623730951, 1.2599210498948732, 0.7071067811865475, 0.5,
--           7.38905609893065, 0.6931471805599453, 1.0, 0.3010299956639812, 1.0986122886681098] }
-- input { 1.0 }
-- output { [1.0, 1.0, 1.0, 1.0, 2.718281828459045, 0.0, 0.0, 0.0, 0.6931471805599453] }

-- ==
-- entry: f32s
-- input { 8f32 } output { 2.828427f32 2.0794415f32 3f32 0.90309f32 2980.958f32 2f32 }
-- input { 0f32 } output { 0f32 -f32.inf -f32.inf -f32.inf 1f32 0f32 }
-- input { -1f32 } output { f32.nan f32.nan f32.nan f32.nan 0.36787945f32 -1f32 }

entry f64s (x: f64) =
  [ f64.sqrt x, f64.cbrt x, f64.rsqrt x, f64.recip x, f64.exp x, f64.log x, f64.log2 x
  , f64.log10 x, f64.log1p x ]
entry f32s (x: f32) = (f32.sqrt x, f32.log x, f32.log2 x, f32.log10 x, f32.exp x, f32.cbrt x)
