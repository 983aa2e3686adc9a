-- A particle filter that follows a point in the plane (Rodinia): the estimate after each observation.
-- ==
-- input { [[1.0, 0.5], [1.8, 1.1]] [7u32, 99u32, 12345u32, 3u32] [0.0, 0.1, -0.1, 0.2] [0.0, 0.2, 0.1, -0.2] }
-- output { [[1.0598676004714387f64, 0.5363149906991206f64], [1.9630372978447974f64, 0.8434889954309823f64]] }
-- input { [[1.0, 1.0]] [1u32] [0.0] [0.0] }
-- output { [[0.7498116258986318f64, 0.7688823412743817f64]] }

def advance (seed: u32) : u32 = seed * 1664525 + 1013904223
def uniform (seed: u32) : f64 = f64.u32 (seed >> 8) / 16777216

def move (x: f64) (y: f64) (seed: u32) : (f64, f64, u32) =
  let one = advance seed
  let two = advance one
  let radius = f64.sqrt (-2 * f64.log (1 - uniform one))
  let angle = 2 * f64.pi * uniform two
  in (x + 1 + 0.5 * radius * f64.cos angle, y + 0.5 + 0.5 * radius * f64.sin angle, two)

entry main [t] [n] (observed: [t][2]f64) (seeds: [n]u32) (xs: [n]f64) (ys: [n]f64) : [t][2]f64 =
  let estimates = replicate t [0, 0]
  let (estimates, _, _, _) =
    loop (estimates, seeds, xs, ys) for k < t do
      let (xs, ys, seeds) = unzip3 (map3 move xs ys seeds)
      let likelihood x y =
        let (dx, dy) = (x - observed[k, 0], y - observed[k, 1])
        in f64.exp (-0.5 * (dx * dx + dy * dy)) + 1e-12
      let weights = map2 likelihood xs ys
      let total = f64.sum weights
      let weights = map (/ total) weights
      let estimate = [f64.sum (map2 (*) weights xs), f64.sum (map2 (*) weights ys)]
      let upto = scan (+) 0 weights
      let chosen i =
        let u = (f64.i64 i + 0.5) / f64.i64 n
        let (low, _) =
          loop (low, high) = (0, n - 1) while low < high do
            let middle = (low + high) / 2
            in if upto[middle] < u then (middle + 1, high) else (low, middle)
        in low
      let from = tabulate n chosen
      in (estimates with [k] = estimate, seeds, map (\i -> xs[i]) from, map (\i -> ys[i]) from)
  in estimates
