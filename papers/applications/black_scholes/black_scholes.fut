-- European options by the Black-Scholes formula: prices, sensitivities, and the volatility behind a price.
-- ==
-- input { 0.05 0.2 [100.0, 100.0, 50.0] [100.0, 120.0, 60.0] [1.0, 0.5, 2.0] }
-- output { [10.45058357, 1.02261522, 3.96410644] [5.57352602, 18.05980467, 8.25435153] }
-- input { 0.0 0.2 [100.0] [100.0] [1.0] } output { [7.965567455] [7.965567455] }
-- input { 0.05 0.2 empty([0]f64) empty([0]f64) empty([0]f64) } output { empty([0]f64) empty([0]f64) }

type market = {rate: f64, volatility: f64}
type option = {spot: f64, strike: f64, years: f64}

-- The standard normal distribution and its density.
def cumulative (x: f64) : f64 = 0.5 * f64.erfc (-x / f64.sqrt 2)
def density (x: f64) : f64 = f64.exp (-0.5 * x * x) / f64.sqrt (2 * f64.pi)

def d1_d2 (m: market) (o: option) : (f64, f64) =
  let width = m.volatility * f64.sqrt o.years
  let drift = (m.rate + 0.5 * m.volatility * m.volatility) * o.years
  let d1 = (f64.log (o.spot / o.strike) + drift) / width
  in (d1, d1 - width)

def discounted (m: market) (o: option) : f64 = o.strike * f64.exp (-m.rate * o.years)

def call (m: market) (o: option) : f64 =
  let (d1, d2) = d1_d2 m o
  in o.spot * cumulative d1 - discounted m o * cumulative d2

-- By put-call parity.
def put (m: market) (o: option) : f64 = call m o - o.spot + discounted m o

def main [n] (rate: f64) (volatility: f64) (spots: [n]f64) (strikes: [n]f64) (years: [n]f64) :
    ([n]f64, [n]f64) =
  let m = {rate, volatility}
  let options = map3 (\spot strike years -> {spot, strike, years}) spots strikes years
  in (map (call m) options, map (put m) options)

-- ==
-- entry: sensitivities
-- input { 0.05 0.2 100.0 100.0 1.0 } output { 0.636830651 0.018762017 37.524034691 true }

-- Delta, gamma and vega; delta agrees with a difference quotient.
entry sensitivities (rate: f64) (volatility: f64) (spot: f64) (strike: f64) (years: f64) :
    (f64, f64, f64, bool) =
  let m = {rate, volatility}
  let o = {spot, strike, years}
  let (d1, _) = d1_d2 m o
  let delta = cumulative d1
  let gamma = density d1 / (spot * volatility * f64.sqrt years)
  let vega = spot * density d1 * f64.sqrt years
  let h = 1e-3
  let quotient = (call m (o with spot = spot + h) - call m (o with spot = spot - h)) / (2 * h)
  in (delta, gamma, vega, f64.abs (delta - quotient) < 1e-6)

-- ==
-- entry: implied_volatility
-- input { 0.05 [10.450583572, 5.0] [100.0, 100.0] [100.0, 110.0] [1.0, 1.0] } output { [0.2, 0.173633315] }

-- The volatility that explains a price, by bisection: the price grows with it.
entry implied_volatility [n] (rate: f64) (prices: [n]f64) (spots: [n]f64) (strikes: [n]f64)
    (years: [n]f64) : [n]f64 =
  let search price o =
    let (low, high) =
      loop (low, high) = (1e-6, 4.0) for _k < 60i32 do
        let middle = (low + high) / 2
        in if call {rate, volatility = middle} o < price then (middle, high) else (low, middle)
    in (low + high) / 2
  in map2 search prices (map3 (\spot strike years -> {spot, strike, years}) spots strikes years)
