-- Every function of the module f16, at precision of that type.
-- ==
-- entry: smooth
-- input { 0.75f16 }
-- output { [0.866f16, 0.9087f16, 1.154f16, 1.333f16, 2.117f16, -0.2876f16, -0.415f16, -0.12494f16, 0.5596f16]
--          [0.6816f16, 0.7314f16, 0.9316f16, 0.848f16, 0.7227f16, 0.6436f16]
--          [0.8223f16, 1.295f16, 0.6353f16, 0.6934f16, 0.973f16, 1.159f16]
--          [0.707f16, -0.707f16, -1.0f16, 0.27f16, 0.2301f16, 0.2048f16]
--          [1.226f16, 0.2032f16, 0.711f16, 0.2888f16] }
-- input { 0.25f16 }
-- output { [0.5f16, 0.63f16, 2.0f16, 4.0f16, 1.284f16, -1.387f16, -2.0f16, -0.602f16, 0.2231f16]
--          [0.2474f16, 0.9688f16, 0.2554f16, 0.2527f16, 1.318f16, 0.245f16]
--          [0.2527f16, 1.031f16, 0.2449f16, 0.2474f16, 0.2554f16, 0.6934f16]
--          [0.707f16, 0.707f16, 1.0f16, 0.08044f16, 0.4197f16, 0.078f16]
--          [3.625f16, 1.288f16, 0.2764f16, 0.7236f16] }

-- ==
-- entry: of_two
-- input { 3.0f16 4.0f16 }
-- output { [0.6436f16, 0.2048f16, 5.0f16, 3.0f16, 3.0f16, 4.0f16, 14.0f16, 14.0f16, 3.5f16]
--          16897u16 }
-- input { -3.0f16 4.0f16 }
-- output { [-0.6436f16, -0.2048f16, 5.0f16, 3.0f16, -3.0f16, 4.0f16, -10.0f16, -10.0f16, 0.5f16]
--          49663u16 }
-- input { 0.0f16 -2.0f16 }
-- output { [3.14f16, 1.0f16, 2.0f16, -0.0f16, -2.0f16, 0.0f16, 2.0f16, 2.0f16, -1.0f16]
--          32769u16 }

-- ==
-- entry: rounded
-- input { 2.5f16 }
-- output { [2.0f16, 3.0f16, 2.0f16, 2.0f16, 2.5f16, 1.0f16, -2.5f16, 20.0f16] }
-- input { -1.25f16 }
-- output { [-2.0f16, -1.0f16, -1.0f16, -1.0f16, 1.25f16, -1.0f16, 1.25f16, -10.0f16] }
-- input { 0.0f16 }
-- output { [0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, 0.0f16, -0.0f16, 0.0f16] }

-- ==
-- entry: folded
-- input { [1.0f16, 2.0f16, 3.5f16] } output { [6.5f16, 7.0f16, 1.0f16, 3.5f16] }
-- input { [-1.5f16, 4.0f16] } output { [2.5f16, -6.0f16, -1.5f16, 4.0f16] }
-- input { empty([0]f16) } output { [0f16, 1f16, f16.inf, -f16.inf] }

-- ==
-- entry: bits
-- input { 1.0f16 } output { 15360u16 1.0f16 16 0 0 8u16 }
-- input { -2.5f16 } output { 49408u16 -2.5f16 16 0 1 8u16 }

-- ==
-- entry: special
-- input { [1f16, f16.nan, -f16.inf] } output { [false, true, false] [false, false, true] }

-- ==
-- entry: made
-- input { 3i64 4i64 } output { [0.75f16, 3.14f16, 2.719f16, f16.inf, -f16.inf, 0.000977f16] [true, true] }

entry smooth (x: f16) =
  ( [f16.sqrt x, f16.cbrt x, f16.rsqrt x, f16.recip x, f16.exp x, f16.log x, f16.log2 x, f16.log10 x, f16.log1p x]
  , [f16.sin x, f16.cos x, f16.tan x, f16.asin x, f16.acos x, f16.atan x]
  , [f16.sinh x, f16.cosh x, f16.tanh x, f16.asinh x, f16.atanh x, f16.acosh (1 + x)]
  , [f16.sinpi x, f16.cospi x, f16.tanpi x, f16.asinpi x, f16.acospi x, f16.atanpi x]
  , [f16.gamma x, f16.lgamma x, f16.erf x, f16.erfc x] )
entry of_two (x: f16) (y: f16) =
  ( [ f16.atan2 x y, f16.atan2pi x y, f16.hypot x y, f16.copysign x y, f16.min x y, f16.max x y
    , f16.mad x y 2, f16.fma x y 2, f16.lerp x y 0.5 ]
  , f16.to_bits (f16.nextafter x y) )
entry rounded (x: f16) =
  [f16.floor x, f16.ceil x, f16.trunc x, f16.round x, f16.abs x, f16.sgn x, f16.neg x, f16.ldexp x 3]
entry folded [n] (xs: [n]f16) = [f16.sum xs, f16.product xs, f16.minimum xs, f16.maximum xs]
entry bits (x: f16) =
  let b = f16.to_bits x
  in (b, f16.from_bits b, f16.num_bits, f16.get_bit 9 x, f16.get_bit 15 x, f16.to_bits (f16.set_bit 3 0 1))
entry special [n] (xs: [n]f16) = (map f16.isnan xs, map f16.isinf xs)
entry made (a: i64) (b: i64) =
  ( [f16.from_fraction a b, f16.pi, f16.e, f16.highest, f16.lowest, f16.epsilon]
  , [f16.isinf f16.inf, f16.isnan f16.nan] )
