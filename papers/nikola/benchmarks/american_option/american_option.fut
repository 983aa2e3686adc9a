-- An American put option by a binomial tree: each step backwards in time has one price less.
-- ==
-- input { 3i64 100f64 110f64 0.05f64 0.3f64 1f64 } output { 15.65664755f64 }
-- input { 1i64 100f64 110f64 0.05f64 0.3f64 1f64 } output { 16.7504033f64 }

entry main (steps: i64) (spot: f64) (strike: f64) (rate: f64) (volatility: f64) (years: f64) : f64 =
  let dt = years / f64.i64 steps
  let up = f64.exp (volatility * f64.sqrt dt)
  let growth = f64.exp (rate * dt)
  let p = (growth - 1 / up) / (up - 1 / up)
  let rise = p / growth
  let fall = (1 - p) / growth
  -- What exercising gains, by the number of rises minus falls, from -steps on.
  let gains =
    tabulate (2 * steps + 1) (\j ->
      strike - spot * f64.exp (volatility * f64.sqrt dt * f64.i64 (j - steps)))
  let last = map (f64.max 0) gains[0:2 * steps + 1:2]
  let first =
    loop prices = last for j < steps do
      let n = length prices - 1
      let own = gains[steps - n + 1:steps + n:2]
      in map3 (\now high low -> f64.max now (rise * high + fall * low))
              (own :> [n]f64) (tail prices :> [n]f64) (init prices :> [n]f64)
  in first[0]
