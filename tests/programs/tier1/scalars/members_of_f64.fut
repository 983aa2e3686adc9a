-- Every function of the module f64: roots, logarithms, circles, hyperbolas, rounding and bits.
-- ==
-- entry: positive
-- input { 0.75f64 }
-- output { [0.8660254037844386f64, 0.9085602964160698f64, 1.1547005383792517f64, 1.3333333333333333f64, 2.117000016612675f64, -0.2876820724517809f64, -0.4150374992788438f64, -0.12493873660829993f64, 0.5596157879354227f64]
--          [0.6816387600233341f64, 0.7316888688738209f64, 0.9315964599440725f64, 0.848062078981481f64, 0.7227342478134157f64, 0.6435011087932844f64]
--          [0.82231673193583f64, 1.2946832846768448f64, 0.6351489523872873f64, 0.6931471805599453f64, 1.158810360429947f64, 0.9729550745276566f64]
--          [0.7071067811865476f64, -0.7071067811865475f64, -1.0000000000000002f64, 0.26994654383738415f64, 0.2300534561626159f64, 0.20483276469913345f64] }
-- input { 0.25f64 }
-- output { [0.5f64, 0.6299605249474366f64, 2.0f64, 4.0f64, 1.2840254166877414f64, -1.3862943611198906f64, -2.0f64, -0.6020599913279624f64, 0.22314355131420976f64]
--          [0.24740395925452294f64, 0.9689124217106447f64, 0.25534192122103627f64, 0.25268025514207865f64, 1.318116071652818f64, 0.24497866312686414f64]
--          [0.2526123168081683f64, 1.0314130998795732f64, 0.24491866240370913f64, 0.24746646154726346f64, 0.6931471805599453f64, 0.25541281188299536f64]
--          [0.7071067811865475f64, 0.7071067811865476f64, 0.9999999999999999f64, 0.08043062325516624f64, 0.4195693767448338f64, 0.07797913037736932f64] }

-- ==
-- entry: of_two
-- input { 3.0f64 4.0f64 }
-- output { [0.6435011087932844f64, 0.20483276469913345f64, 5.0f64, 3.0f64, 3.0f64, 4.0f64, 14.0f64, 3.5f64] }
-- input { -3.0f64 4.0f64 }
-- output { [-0.6435011087932844f64, -0.20483276469913345f64, 5.0f64, 3.0f64, -3.0f64, 4.0f64, -10.0f64, 0.5f64] }
-- input { 0.0f64 -2.0f64 }
-- output { [3.141592653589793f64, 1.0f64, 2.0f64, -0.0f64, -2.0f64, 0.0f64, 2.0f64, -1.0f64] }

-- ==
-- entry: rounded
-- input { 2.5f64 } output { [2.0f64, 3.0f64, 2.0f64, 2.0f64, 2.5f64, 1.0f64, -2.5f64, 20.0f64] 2i64 }
-- input { -1.25f64 } output { [-2.0f64, -1.0f64, -1.0f64, -1.0f64, 1.25f64, -1.0f64, 1.25f64, -10.0f64] -1i64 }
-- input { 0.0f64 } output { [0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64, -0.0f64, 0.0f64] 0i64 }

-- ==
-- entry: bits
-- input { 1.0f64 } output { 4607182418800017408u64 1.0f64 64 1 0 8u64 }
-- input { -2.5f64 } output { 13836183955189006336u64 -2.5f64 64 0 1 8u64 }
-- input { 0.0f64 } output { 0u64 0.0f64 64 0 0 8u64 }

-- ==
-- entry: special
-- input { [1f64, f64.nan, -f64.inf] } output { [false, true, false] [false, false, true] }
-- input { empty([0]f64) } output { empty([0]bool) empty([0]bool) }

-- ==
-- entry: made
-- input { 3i64 4i64 } output { 0.75f64 3.141592653589793f64 2.718281828459045f64 true }
-- input { -1i64 0i64 } output { -f64.inf 3.141592653589793f64 2.718281828459045f64 true }

entry positive (x: f64) =
  ( [ f64.sqrt x, f64.cbrt x, f64.rsqrt x, f64.recip x, f64.exp x, f64.log x, f64.log2 x, f64.log10 x, f64.log1p x ]
  , [f64.sin x, f64.cos x, f64.tan x, f64.asin x, f64.acos x, f64.atan x]
  , [f64.sinh x, f64.cosh x, f64.tanh x, f64.asinh x, f64.acosh (1 + x), f64.atanh x]
  , [f64.sinpi x, f64.cospi x, f64.tanpi x, f64.asinpi x, f64.acospi x, f64.atanpi x] )
entry of_two (x: f64) (y: f64) =
  [ f64.atan2 x y, f64.atan2pi x y, f64.hypot x y, f64.copysign x y, f64.min x y, f64.max x y
  , (f64.mad x y 2 + f64.fma x y 2) / 2, f64.lerp x y 0.5 ]
entry rounded (x: f64) =
  ( [f64.floor x, f64.ceil x, f64.trunc x, f64.round x, f64.abs x, f64.sgn x, f64.neg x, f64.ldexp x 3]
  , f64.to_i64 x )
entry bits (x: f64) =
  let b = f64.to_bits x
  in (b, f64.from_bits b, f64.num_bits, f64.get_bit 52 x, f64.get_bit (f64.num_bits - 1) x, f64.to_bits (f64.set_bit 3 0 1))
entry special [n] (xs: [n]f64) = (map f64.isnan xs, map f64.isinf xs)
entry made (x: i64) (y: i64) =
  ( f64.from_fraction x y, f64.pi, f64.e
  , f64.isnan f64.nan && f64.highest == f64.inf && f64.lowest == -f64.inf && f64.nextafter 1 2 == 1 + f64.epsilon
    && f64.sum [1, 2] == 3 && f64.product [2, 3] == 6 && f64.minimum [2, 1] == 1 && f64.maximum [2, 1] == 2 )
