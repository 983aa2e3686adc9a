-- The error function and its complement; the complement stays exact where erf is close to one.
-- ==
-- input { [0.0, 0.5, 1.0, -1.0, 3.0, f64.inf, -f64.inf] }
-- output { [0.0, 0.520499878, 0.842700793, -0.842700793, 0.999977910, 1.0, -1.0]
--          [1.0, 0.479500122, 0.157299207, 1.842700793, 0.0000220905, 0.0, 2.0] }

def main [n] (xs: [n]f64) : ([n]f64, [n]f64) = (map f64.erf xs, map f64.erfc xs)

-- ==
-- entry: single
-- input { [0.25f32, -2.0f32] } output { [0.27632639f32, -0.99532227f32] [0.7236736f32, 1.9953222f32] }

entry single [n] (xs: [n]f32) : ([n]f32, [n]f32) = (map f32.erf xs, map f32.erfc xs)

-- ==
-- entry: small_complement
-- input { 10.0 } output { 2.088487583762545 }

entry small_complement (x: f64) : f64 = f64.erfc x * 1e45

-- ==
-- entry: normal_distribution
-- input { [0.0, 1.0, -1.959963985] } output { [0.5, 0.841344746, 0.025] }

entry normal_distribution [n] (xs: [n]f64) : [n]f64 =
  map (\x -> 0.5 * f64.erfc (-x / f64.sqrt 2)) xs
