-- Every function of the module f32: roots, logarithms, circles, hyperbolas, rounding and bits.
-- ==
-- entry: positive
-- input { 0.75f32 }
-- output { [0.866025388f32, 0.908560276f32, 1.15470052f32, 1.33333337f32, 2.1170001f32, -0.287682086f32, -0.415037513f32, -0.124938734f32, 0.559615791f32]
--          [0.681638777f32, 0.731688857f32, 0.931596458f32, 0.848062098f32, 0.722734272f32, 0.643501103f32]
--          [0.822316706f32, 1.29468334f32, 0.635148942f32, 0.693147182f32, 1.15881038f32, 0.972955048f32]
--          [0.707106769f32, -0.707106769f32, -1f32, 0.269946545f32, 0.230053455f32, 0.204832762f32] }
-- input { 0.25f32 }
-- output { [0.5f32, 0.629960537f32, 2f32, 4f32, 1.28402543f32, -1.38629436f32, -2f32, -0.60206002f32, 0.223143548f32]
--          [0.247403964f32, 0.968912423f32, 0.255341917f32, 0.252680242f32, 1.31811607f32, 0.244978666f32]
--          [0.252612323f32, 1.03141308f32, 0.244918659f32, 0.24746646f32, 0.693147182f32, 0.255412817f32]
--          [0.707106769f32, 0.707106769f32, 1f32, 0.0804306269f32, 0.419569373f32, 0.0779791325f32] }

-- ==
-- entry: of_two
-- input { 3f32 4f32 }
-- output { [0.643501103f32, 0.204832762f32, 5f32, 3f32, 3f32, 4f32, 14f32, 3.5f32] }
-- input { -3f32 4f32 }
-- output { [-0.643501103f32, -0.204832762f32, 5f32, 3f32, -3f32, 4f32, -10f32, 0.5f32] }
-- input { 0f32 -2f32 }
-- output { [3.14159274f32, 1f32, 2f32, -0f32, -2f32, 0f32, 2f32, -1f32] }

-- ==
-- entry: rounded
-- input { 2.5f32 } output { [2f32, 3f32, 2f32, 2f32, 2.5f32, 1f32, -2.5f32, 20f32] 2i64 }
-- input { -1.25f32 } output { [-2f32, -1f32, -1f32, -1f32, 1.25f32, -1f32, 1.25f32, -10f32] -1i64 }
-- input { 0f32 } output { [0f32, 0f32, 0f32, 0f32, 0f32, 0f32, -0f32, 0f32] 0i64 }

-- ==
-- entry: bits
-- input { 1f32 } output { 1065353216u32 1f32 32 0 0 8u32 }
-- input { -2.5f32 } output { 3223322624u32 -2.5f32 32 1 1 8u32 }
-- input { 0f32 } output { 0u32 0f32 32 0 0 8u32 }

-- ==
-- entry: special
-- input { [1f32, f32.nan, -f32.inf] } output { [false, true, false] [false, false, true] }
-- input { empty([0]f32) } output { empty([0]bool) empty([0]bool) }

-- ==
-- entry: made
-- input { 3i64 4i64 } output { 0.75f32 3.14159274f32 2.71828175f32 true }
-- input { -1i64 0i64 } output { -f32.inf 3.14159274f32 2.71828175f32 true }

entry positive (x: f32) =
  ( [ f32.sqrt x, f32.cbrt x, f32.rsqrt x, f32.recip x, f32.exp x, f32.log x, f32.log2 x, f32.log10 x, f32.log1p x ]
  , [f32.sin x, f32.cos x, f32.tan x, f32.asin x, f32.acos x, f32.atan x]
  , [f32.sinh x, f32.cosh x, f32.tanh x, f32.asinh x, f32.acosh (1 + x), f32.atanh x]
  , [f32.sinpi x, f32.cospi x, f32.tanpi x, f32.asinpi x, f32.acospi x, f32.atanpi x] )
entry of_two (x: f32) (y: f32) =
  [ f32.atan2 x y, f32.atan2pi x y, f32.hypot x y, f32.copysign x y, f32.min x y, f32.max x y
  , (f32.mad x y 2 + f32.fma x y 2) / 2, f32.lerp x y 0.5 ]
entry rounded (x: f32) =
  ( [f32.floor x, f32.ceil x, f32.trunc x, f32.round x, f32.abs x, f32.sgn x, f32.neg x, f32.ldexp x 3]
  , f32.to_i64 x )
entry bits (x: f32) =
  let b = f32.to_bits x
  in (b, f32.from_bits b, f32.num_bits, f32.get_bit 30 x, f32.get_bit (f32.num_bits - 1) x, f32.to_bits (f32.set_bit 3 0 1))
entry special [n] (xs: [n]f32) = (map f32.isnan xs, map f32.isinf xs)
entry made (x: i64) (y: i64) =
  ( f32.from_fraction x y, f32.pi, f32.e
  , f32.isnan f32.nan && f32.highest == f32.inf && f32.lowest == -f32.inf && f32.nextafter 1 2 == 1 + f32.epsilon
    && f32.sum [1, 2] == 3 && f32.product [2, 3] == 6 && f32.minimum [2, 1] == 1 && f32.maximum [2, 1] == 2 )
