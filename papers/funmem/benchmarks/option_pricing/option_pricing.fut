-- The price of an option on several shares by quasi Monte Carlo: Sobol points, their normal
-- deviates, Brownian bridges, correlated paths (Black-Scholes), and what the option pays.  The
-- directions of the points, the bridges, and the shares' correlation are arguments.
-- ==
-- input { 100i64 1.0 1.0
--   [[[0x80000000u32, 0x40000000u32, 0x20000000u32, 0x10000000u32, 0x8000000u32, 0x4000000u32,
--   0x2000000u32, 0x1000000u32, 0x800000u32, 0x400000u32, 0x200000u32, 0x100000u32, 0x80000u32,
--   0x40000u32, 0x20000u32, 0x10000u32, 0x8000u32, 0x4000u32, 0x2000u32, 0x1000u32, 0x800u32,
--   0x400u32, 0x200u32, 0x100u32, 0x80u32, 0x40u32, 0x20u32, 0x10u32, 0x8u32, 0x4u32, 0x2u32,
--   0x1u32]], [[0x80000000u32, 0xc0000000u32, 0xa0000000u32, 0x90000000u32, 0x88000000u32,
--   0x84000000u32, 0x82000000u32, 0x81000000u32, 0x80800000u32, 0x80400000u32, 0x80200000u32,
--   0x80100000u32, 0x80080000u32, 0x80040000u32, 0x80020000u32, 0x80010000u32, 0x80008000u32,
--   0x80004000u32, 0x80002000u32, 0x80001000u32, 0x80000800u32, 0x80000400u32, 0x80000200u32,
--   0x80000100u32, 0x80000080u32, 0x80000040u32, 0x80000020u32, 0x80000010u32, 0x80000008u32,
--   0x80000004u32, 0x80000002u32, 0x80000001u32]]]
--   [1i64, 0i64] [-1i64, -1i64] [-1i64, 1i64]
--   [0.0, 0.0] [0.0, 0.5] [1.414213562373095, 0.7071067811865476]
--   [[1.0]] [[0.2], [0.2]] [[-0.02], [-0.02]] }
-- output { 0.09123402903 }
-- input { 4i64 0.5 0.5
--   [[[0x80000000u32, 0x40000000u32, 0x20000000u32, 0x10000000u32, 0x8000000u32, 0x4000000u32,
--   0x2000000u32, 0x1000000u32, 0x800000u32, 0x400000u32, 0x200000u32, 0x100000u32, 0x80000u32,
--   0x40000u32, 0x20000u32, 0x10000u32, 0x8000u32, 0x4000u32, 0x2000u32, 0x1000u32, 0x800u32,
--   0x400u32, 0x200u32, 0x100u32, 0x80u32, 0x40u32, 0x20u32, 0x10u32, 0x8u32, 0x4u32, 0x2u32,
--   0x1u32]], [[0x80000000u32, 0xc0000000u32, 0xa0000000u32, 0x90000000u32, 0x88000000u32,
--   0x84000000u32, 0x82000000u32, 0x81000000u32, 0x80800000u32, 0x80400000u32, 0x80200000u32,
--   0x80100000u32, 0x80080000u32, 0x80040000u32, 0x80020000u32, 0x80010000u32, 0x80008000u32,
--   0x80004000u32, 0x80002000u32, 0x80001000u32, 0x80000800u32, 0x80000400u32, 0x80000200u32,
--   0x80000100u32, 0x80000080u32, 0x80000040u32, 0x80000020u32, 0x80000010u32, 0x80000008u32,
--   0x80000004u32, 0x80000002u32, 0x80000001u32]]]
--   [1i64, 0i64] [-1i64, -1i64] [-1i64, 1i64]
--   [0.0, 0.0] [0.0, 0.5] [1.414213562373095, 0.7071067811865476]
--   [[1.0]] [[0.0], [0.0]] [[0.0], [0.0]] }
-- output { 0.25 }

-- Point `i` of as many dimensions as there are rows: the directions that the Gray code of i selects.
def sobol [d] (directions: [d][32]u32) (i: i64) : [d]u32 =
  let gray = u32.i64 (i ^ (i >> 1))
  in map (\row -> loop x = 0 for k < 32 do
                    if (gray >> u32.i64 k) & 1 == 1 then x ^ row[k] else x)
         directions

-- The number below which a normal deviate is with probability p (Acklam's rational approximation,
-- relative error 1.2e-9).
def quantile (p: f64) : f64 =
  let tail q =
    (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q
       - 2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783)
    / ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q
        + 3.754408661907416) * q + 1)
  in if p < 0.02425 then tail (f64.sqrt (-2 * f64.log p))
     else if p > 1 - 0.02425 then -(tail (f64.sqrt (-2 * f64.log (1 - p))))
     else let q = p - 0.5
          let r = q * q
          in (((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r
                + 1.383577518672690e2) * r - 3.066479806614716e1) * r + 2.506628277459239) * q
             / (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r
                  + 6.680131188771972e1) * r - 1.328068155288572e1) * r + 1)

def deviate (x: u32) : f64 = quantile ((f64.u32 x + 0.5) / 4294967296)

-- How a Brownian motion is known at more and more times: the value at `at` is a mean of those at
-- `before` and `after`, which are known or -1, plus a deviate times `spread`.
type bridge = {at: i64, before: i64, after: i64, weight_before: f64, weight_after: f64, spread: f64}

-- The motion, from one deviate for each time; then its increments, in place.
def motion [t] (bridges: [t]bridge) (zs: [t]f64) : *[t]f64 =
  let w =
    loop w = replicate t 0 for k < t do
      let b = bridges[k]
      let before = if b.before < 0 then 0 else b.weight_before * w[b.before]
      let after = if b.after < 0 then 0 else b.weight_after * w[b.after]
      in w with [b.at] = before + after + b.spread * zs[k]
  in loop w for k < t - 1 do
       let i = t - 1 - k
       let increment = w[i] - w[i - 1]
       in w with [i] = increment

-- Prices of all shares at all times, relative to those at the beginning.
def paths [t] [u] (correlation: [u][u]f64) (volatility: [t][u]f64) (drift: [t][u]f64)
    (increments: [t][u]f64) : [t][u]f64 =
  let growth =
    map3 (\zs vs ds ->
            map3 (\row v d -> f64.exp (d + v * f64.sum (map2 (*) row zs))) correlation vs ds)
         increments volatility drift
  in scan (map2 (*)) (replicate u 1) growth

-- A call on the mean over time of the share that has done worst by then.
def payoff [t] [u] (strike: f64) (prices: [t][u]f64) : f64 =
  f64.max 0 (f64.sum (map f64.minimum prices) / f64.i64 t - strike)

-- The option's price from `count` paths of u shares at t times.
def main [t] [u] (count: i64) (strike: f64) (discount: f64) (directions: [t][u][32]u32)
    (at: [t]i64) (before: [t]i64) (after: [t]i64)
    (weight_before: [t]f64) (weight_after: [t]f64) (spread: [t]f64)
    (correlation: [u][u]f64) (volatility: [t][u]f64) (drift: [t][u]f64) : f64 =
  let bridges =
    tabulate t (\k -> { at = at[k], before = before[k], after = after[k]
                      , weight_before = weight_before[k], weight_after = weight_after[k]
                      , spread = spread[k] })
  let path (i: i64) =
    let deviates = map deviate (sobol (flatten directions) (i + 1))
    let increments = map (motion bridges) (transpose (unflatten deviates))
    in payoff strike (paths correlation volatility drift (transpose increments))
  in discount * f64.sum (map path (iota count)) / f64.i64 count

-- ==
-- entry: bridge_of_ones
-- input { } output { [1.0, 0.5, 1.0] }

-- Three times; the last is drawn first, then the middle one, then the first.
entry bridge_of_ones : [3]f64 =
  let bridge at before after weight_before weight_after spread : bridge =
    {at, before, after, weight_before, weight_after, spread}
  in motion [bridge 2 (-1) (-1) 0 0 2.5, bridge 1 (-1) 2 0 0.5 0.25, bridge 0 (-1) 1 0 0.5 0.25]
            (replicate 3 1)
