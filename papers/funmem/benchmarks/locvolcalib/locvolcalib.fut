-- Prices of options under a local, stochastic volatility: for each strike a partial differential
-- equation in two dimensions, backwards in time by alternating directions (Crank-Nicolson).
-- ==
-- input { 8i64 6i64 5i64 100.0 1.0 0.1 0.5 0.5 [90.0, 110.0] }
-- output { [10.01478955, 0.01479549] }
-- input { 8i64 6i64 1i64 100.0 1.0 0.1 0.5 0.5 [90.0, 110.0] } output { [10.0, 0.0] }
-- input { 8i64 6i64 5i64 100.0 1.0 0.1 0.5 0.5 empty([0]f64) } output { empty([0]f64) }

type grid [n] = {points: [n]f64, here: i64}

-- A row of a matrix with three diagonals.
type row = {lower: f64, middle: f64, upper: f64}

-- `n` points, `width / n` apart; `centre` is one of them, number `here`.
def grid (n: i64) (width: f64) (centre: f64) (here: i64) : grid [n] =
  {points = tabulate n (\i -> centre + f64.i64 (i - here) * (width / f64.i64 n)), here}

-- The second derivative; at both ends it is taken to be zero.
def curvature [n] (xs: [n]f64) : [n]row =
  tabulate n (\i ->
    if i == 0 || i == n - 1 then {lower = 0, middle = 0, upper = 0}
    else let (l, u) = (xs[i] - xs[i - 1], xs[i + 1] - xs[i])
         in { lower = 2 / (l * (l + u))
            , middle = -2 * (1 / l + 1 / u) / (l + u)
            , upper = 2 / (u * (l + u)) })

-- Row i times the vector of which `at` gives the elements.
def times (n: i64) (r: row) (at: i64 -> f64) (i: i64) : f64 =
  r.middle * at i
  + (if i > 0 then r.lower * at (i - 1) else 0)
  + (if i < n - 1 then r.upper * at (i + 1) else 0)

-- x of a x = y, by elimination forwards and substitution backwards (Thomas).
def solve [n] (a: [n]row) (y: [n]f64) : *[n]f64 =
  let (uppers, x) =
    loop (uppers, x) = (replicate n 0, replicate n 0) for i < n do
      let (u, v) = if i == 0 then (0, 0) else (uppers[i - 1], x[i - 1])
      let pivot = a[i].middle - a[i].lower * u
      in ( uppers with [i] = a[i].upper / pivot
         , x with [i] = (y[i] - a[i].lower * v) / pivot )
  in loop x for k < n - 1 do
       let i = n - 2 - k
       let new = x[i] - uppers[i] * x[i + 1]
       in x with [i] = new

-- One step back in time.  `dx i j` and `dy j` are half the variance times the curvature at a point.
def step [n] [m] (dt: f64) (dx: i64 -> i64 -> row) (dy: i64 -> row) (v: [n][m]f64) : [n][m]f64 =
  let implicit (r: row) : row =
    {lower = -0.5 * r.lower, middle = 1 / dt - 0.5 * r.middle, upper = -0.5 * r.upper}
  let along_y = tabulate_2d n m (\i j -> times m (dy j) (\k -> v[i, k]) j)
  let explicit =
    tabulate_2d m n (\j i -> v[i, j] / dt + 0.5 * times n (dx i j) (\k -> v[k, j]) i + along_y[i, j])
  let half = map2 (\j -> solve (tabulate n (\i -> implicit (dx i j)))) (iota m) explicit
  in map2 (\line old ->
             solve (tabulate m (\j -> implicit (dy j)))
                   (map2 (\u w -> u / dt - 0.5 * w) line old))
          (transpose half) along_y

-- The price of an option with each strike, at the price `spot` and today's volatility `alpha`,
-- which has a volatility `nu` itself; `steps` points in time up to `years`.
def main [s] (nx: i64) (ny: i64) (steps: i64) (spot: f64) (years: f64) (alpha: f64) (nu: f64)
    (beta: f64) (strikes: [s]f64) : [s]f64 =
  let width = 20 * alpha * spot * f64.sqrt years
  let x = grid nx width spot (i64.f64 (spot / (width / f64.i64 nx)))
  let y = grid ny (10 * nu * f64.sqrt years) (f64.log alpha) (ny / 2)
  let (dxx, dyy) = (curvature x.points, curvature y.points)
  let scaled k (r: row) : row = {lower = k * r.lower, middle = k * r.middle, upper = k * r.upper}
  let dt = years / f64.i64 (i64.max 1 (steps - 1))
  let price strike =
    let payoff = tabulate_2d nx ny (\i _ -> f64.max 0 (x.points[i] - strike))
    let v =
      loop v = payoff for k < steps - 1 do
        let t = f64.i64 (steps - 2 - k) * dt
        let variance i j =
          f64.exp (2 * (beta * f64.log x.points[i] + y.points[j] - 0.5 * nu * nu * t))
        in step dt (\i j -> scaled (0.5 * variance i j) dxx[i])
                   (\j -> scaled (0.5 * nu * nu) dyy[j]) v
    in v[x.here, y.here]
  in map price strikes
