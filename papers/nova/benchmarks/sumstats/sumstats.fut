-- Summary statistics: how many, the least, the greatest, the mean, variance, skewness and kurtosis
-- of a population, by joining the moments of parts (Chan, Golub and LeVeque 1979; Pébay 2008).
-- ==
-- input { [1.0f32, 2.0f32, 3.0f32, 6.0f32] }
-- output { 4i64 1f32 6f32 3.0 3.5 0.687243193 2.0 }
-- input { [5.0f32] } output { 1i64 5f32 5f32 5.0 0.0 f64.nan f64.nan }

-- m2, m3, m4: sums of powers of distances from the mean.
type moments = {n: f64, low: f32, high: f32, mean: f64, m2: f64, m3: f64, m4: f64}

def nothing : moments = {n = 0, low = f32.inf, high = -f32.inf, mean = 0, m2 = 0, m3 = 0, m4 = 0}

def one (x: f32) : moments = nothing with n = 1 with low = x with high = x with mean = f64.f32 x

def join (a: moments) (b: moments) : moments =
  let n = a.n + b.n
  let inverse = if n == 0 then 0 else 1 / n
  let d = b.mean - a.mean
  let e = d * inverse
  let ab = a.n * b.n
  in {n,
      low = f32.min a.low b.low,
      high = f32.max a.high b.high,
      mean = a.mean + e * b.n,
      m2 = a.m2 + b.m2 + d * e * ab,
      m3 = a.m3 + b.m3 + d * e * e * ab * (a.n - b.n) + 3 * e * (a.n * b.m2 - b.n * a.m2),
      m4 = a.m4 + b.m4 + d * e * e * e * ab * (a.n * a.n - ab + b.n * b.n)
           + 6 * e * e * (a.n * a.n * b.m2 + b.n * b.n * a.m2) + 4 * e * (a.n * b.m3 - b.n * a.m3)}

def statistics (s: moments) : (i64, f32, f32, f64, f64, f64, f64) =
  let variance = s.m2 / s.n
  in (i64.f64 s.n, s.low, s.high, s.mean, variance,
      s.m3 / s.n / (variance * f64.sqrt variance), s.m4 / s.n / (variance * variance))

entry main [n] (xs: [n]f32) : (i64, f32, f32, f64, f64, f64, f64) =
  statistics (reduce_comm join nothing (map one xs))

-- ==
-- entry: twice
-- input { [1.0f32, 2.0f32, 3.0f32, 6.0f32] }
-- output { 4i64 1f32 6f32 3.0 3.5 0.687243193 2.0 }

-- The same in two passes: first the mean, then powers of distances from it.
entry twice [n] (xs: [n]f32) : (i64, f32, f32, f64, f64, f64, f64) =
  let mean = f64.sum (map f64.f32 xs) / f64.i64 n
  let powers x =
    let d = f64.f32 x - mean
    let d2 = d * d
    in (x, x, d2, d2 * d, d2 * d2)
  let both (l, h, a, b, c) (l', h', a', b', c') = (f32.min l l', f32.max h h', a + a', b + b', c + c')
  let (low, high, m2, m3, m4) =
    reduce_comm both (f32.inf, -f32.inf, 0, 0, 0) (map powers xs)
  in statistics {n = f64.i64 n, low, high, mean, m2, m3, m4}
