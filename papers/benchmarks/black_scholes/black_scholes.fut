-- Prices of European calls and puts by the Black-Scholes formula, in single precision.
-- ==
-- input { 0.05f32 0.2f32 [100f32, 100f32, 50f32] [100f32, 120f32, 60f32] [1f32, 0.5f32, 2f32] }
-- output { [10.45058f32, 1.02262f32, 3.96411f32] [5.57353f32, 18.0598f32, 8.25435f32] }
-- input { 0.05f32 0.2f32 empty([0]f32) empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) }

-- The standard normal distribution, by a polynomial (Abramowitz and Stegun 26.2.17).
def cumulative (d: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs d)
  let p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937
               + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.39894228 * f32.exp (-0.5 * d * d) * p
  in if d > 0 then 1 - tail else tail

def prices (rate: f32) (volatility: f32) (spot: f32) (strike: f32) (years: f32) : (f32, f32) =
  let width = volatility * f32.sqrt years
  let d1 = (f32.log (spot / strike) + (rate + 0.5 * volatility * volatility) * years) / width
  let d2 = d1 - width
  let discounted = strike * f32.exp (-rate * years)
  let call = spot * cumulative d1 - discounted * cumulative d2
  in (call, call - spot + discounted)

entry main [n] (rate: f32) (volatility: f32) (spots: [n]f32) (strikes: [n]f32) (years: [n]f32) :
    ([n]f32, [n]f32) =
  unzip (map3 (prices rate volatility) spots strikes years)
