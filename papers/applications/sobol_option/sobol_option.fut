-- Prices of an Asian and a European option by quasi Monte Carlo: Sobol points, Box-Muller, paths.
-- ==
-- input { 1024i64 100.0 100.0 0.05 0.2 1.0 } output { 6.326565873 10.312444966 }
-- input { 1i64 100.0 1000.0 0.05 0.2 1.0 } output { 0.0 0.0 }
-- input { 16i64 100.0 0.0 0.0 0.0 1.0 } output { 100.0 100.0 }

-- Bits of a direction number.
def bits : i64 = 32

-- Of each dimension of the sequence: the degree of a primitive polynomial over the field of two elements, its inner
-- coefficients as bits, and the first direction numbers, any odd numbers below 2, 4, 8, ….
type dimension = {degree: i64, inner: u32, first: [5]u32}

-- As many as a path has steps.
def table : [8]dimension =
  [ {degree = 0, inner = 0, first = [0, 0, 0, 0, 0]}
  , {degree = 1, inner = 0, first = [1, 0, 0, 0, 0]}
  , {degree = 2, inner = 1, first = [1, 3, 0, 0, 0]}
  , {degree = 3, inner = 1, first = [1, 3, 7, 0, 0]}
  , {degree = 3, inner = 2, first = [1, 1, 5, 0, 0]}
  , {degree = 4, inner = 1, first = [1, 3, 1, 13, 0]}
  , {degree = 4, inner = 4, first = [1, 1, 5, 11, 0]}
  , {degree = 5, inner = 2, first = [1, 3, 5, 5, 17]} ]

-- The directions of a dimension: the polynomial says how each follows from the `degree` before it.
def directions (d: dimension) : *[bits]u32 =
  loop v = replicate bits 0 for k < bits do
    let new =
      if d.degree == 0 then 1 << u32.i64 (bits - 1 - k)
      else if k < d.degree then d.first[k] << u32.i64 (bits - 1 - k)
      else let old = v[k - d.degree]
           in loop x = old ^ (old >> u32.i64 d.degree) for i in 1..<d.degree do
                if u32.get_bit (i32.i64 (d.degree - 1 - i)) d.inner == 1 then x ^ v[k - i] else x
    in v with [k] = new

-- Point `n`, independently of all others: the directions that the Gray code of `n` selects.
def point [d] (vs: [d][bits]u32) (n: i64) : [d]u32 =
  let gray = u32.i64 (n ^ (n >> 1))
  in map (\v -> map2 (\k x -> if u32.get_bit (i32.i64 k) gray == 1 then x else 0) (iota bits) v
                |> reduce (^) 0)
         vs

def uniform (x: u32) : f64 = (f64.u32 x + 0.5) / 4294967296

-- Two uniform numbers to two normal ones.
def box_muller (u: f64) (v: f64) : (f64, f64) =
  let r = f64.sqrt (-2 * f64.log u)
  let angle = 2 * f64.pi * v
  in (r * f64.cos angle, r * f64.sin angle)

def normals [d] (us: [d]u32) : [d]f64 =
  tabulate d (\k ->
    let (a, b) = box_muller (uniform us[k - k % 2]) (uniform us[k - k % 2 + 1])
    in if k % 2 == 0 then a else b)

type market = {spot: f64, rate: f64, volatility: f64, years: f64}

-- The prices of one path at equally spaced times.
def path [d] (m: market) (zs: [d]f64) : [d]f64 =
  let dt = m.years / f64.i64 d
  let drift = (m.rate - 0.5 * m.volatility * m.volatility) * dt
  in map (\z -> drift + m.volatility * f64.sqrt dt * z) zs
     |> scan (+) 0
     |> map (\x -> m.spot * f64.exp x)

-- Prices of calls on the mean of the path and on its end.  Point 0 is left out: it is the origin in
-- all dimensions, from which Box-Muller makes an extreme path.
def main (paths: i64) (spot: f64) (strike: f64) (rate: f64) (volatility: f64) (years: f64) :
    (f64, f64) =
  let m = {spot, rate, volatility, years}
  let vs = map directions table
  let payoff (price: f64) = f64.max 0 (price - strike)
  let payoffs =
    map (\i ->
           let prices = path m (normals (point vs i))
           in (payoff (f64.sum prices / f64.i64 (length prices)), payoff (last prices)))
        (map (+ 1) (iota paths))
  let (asian, european) = reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) payoffs
  let discount = f64.exp (-rate * years) / f64.i64 paths
  in (discount * asian, discount * european)

-- ==
-- entry: first_points
-- input { 3i64 } output { [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25]] }
-- input { 0i64 } output { empty([0][3]f64) }

entry first_points (n: i64) : [n][3]f64 =
  let vs = map directions table
  in map (\i -> map (\x -> f64.u32 x / 4294967296) (take 3 (point vs i))) (iota n)

-- ==
-- entry: by_scan
-- input { 1000i64 } output { true }
-- input { 1i64 } output { true }

-- Each point differs from the one before in one direction, so that a scan gives all: less work.
entry by_scan (n: i64) : bool =
  let vs = map directions table
  let change i = if i == 0 then replicate 8 0 else map (\v -> v[i64.i32 (i64.ctz i)]) vs
  let all_points = scan (map2 (^)) (replicate 8 0) (map change (iota n))
  in all_points == map (point vs) (iota n)

-- ==
-- entry: evenly_spread
-- input { 6 } output { true }
-- input { 0 } output { true }

-- Of the first 2^k points each dimension has exactly one in every interval of length 2^-k.
entry evenly_spread (k: i32) : bool =
  let n = 1 << i64.i32 k
  let cells = map (point (map directions table)) (iota n)
              |> map (map (\x -> i64.u32 x >> (bits - i64.i32 k)))
  in all (\c -> all (== 1) (hist (+) 0 n c (replicate n 1i32))) (transpose cells)
