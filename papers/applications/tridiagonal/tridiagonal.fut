-- Tridiagonal systems: many at once, one per thread (Thomas), or each one in parallel with three scans.
-- ==
-- input { [[0.0, 1.0, 1.0]] [[2.0, 3.0, 2.0]] [[1.0, 1.0, 0.0]] [[4.0, 10.0, 8.0]] }
-- output { [[1.0, 2.0, 3.0]] }
-- input { [[0.0], [0.0]] [[2.0], [4.0]] [[0.0], [0.0]] [[1.0], [2.0]] } output { [[0.5], [0.5]] }
-- input { empty([0][3]f64) empty([0][3]f64) empty([0][3]f64) empty([0][3]f64) }
-- output { empty([0][3]f64) }
-- input { empty([2][0]f64) empty([2][0]f64) empty([2][0]f64) empty([2][0]f64) }
-- output { empty([2][0]f64) }

-- Row i says lower[i] x[i-1] + middle[i] x[i] + upper[i] x[i+1] = right[i]; lower[0] and the last
-- upper are not looked at.  No pivoting: the systems should be dominated by their diagonal.
type system [n] = {lower: [n]f64, middle: [n]f64, upper: [n]f64, right: [n]f64}

def thomas [n] (s: system [n]) : *[n]f64 =
  let (us, ys) =
    loop (us, ys) = (replicate n 0, replicate n 0) for i < n do
      if i == 0 then (us with [0] = s.middle[0], ys with [0] = s.right[0])
      else let factor = s.lower[i] / us[i - 1]
           let u = s.middle[i] - factor * s.upper[i - 1]
           let y = s.right[i] - factor * ys[i - 1]
           in (us with [i] = u, ys with [i] = y)
  in loop x = ys for k < n do
       let i = n - 1 - k
       let above = if k == 0 then 0 else s.upper[i] * x[i + 1]
       let new = (x[i] - above) / us[i]
       in x with [i] = new

def systems [m] [n] (ls: [m][n]f64) (ds: [m][n]f64) (us: [m][n]f64) (rs: [m][n]f64) :
    [m](system [n]) =
  map4 (\lower middle upper right -> {lower, middle, upper, right}) ls ds us rs

def main [m] [n] (lower: [m][n]f64) (middle: [m][n]f64) (upper: [m][n]f64) (right: [m][n]f64) :
    [m][n]f64 =
  map thomas (systems lower middle upper right)

-- ==
-- entry: by_scans
-- input { [[0.0, 1.0, 1.0]] [[2.0, 3.0, 2.0]] [[1.0, 1.0, 0.0]] [[4.0, 10.0, 8.0]] }
-- output { [[1.0, 2.0, 3.0]] }
-- input { [[0.0], [0.0]] [[2.0], [4.0]] [[0.0], [0.0]] [[1.0], [2.0]] } output { [[0.5], [0.5]] }
-- input { empty([0][3]f64) empty([0][3]f64) empty([0][3]f64) empty([0][3]f64) }
-- output { empty([0][3]f64) }

-- x -> (a x + b) / (c x + d), so that composing is multiplying matrices.
type fraction = {a: f64, b: f64, c: f64, d: f64}

-- A matrix stands for the same function after scaling, which keeps its elements in range.
def after (f: fraction) (g: fraction) : fraction =
  let k = 1 / (f64.abs f.a + f64.abs f.b + f64.abs f.c + f64.abs f.d)
  in { a = k * (g.a * f.a + g.b * f.c), b = k * (g.a * f.b + g.b * f.d)
     , c = k * (g.c * f.a + g.d * f.c), d = k * (g.c * f.b + g.d * f.d) }

-- x -> slope x + shift
type affine = {slope: f64, shift: f64}

-- The values of a recurrence x[i] = slope[i] x[i-1] + shift[i] from zero.
def recurrence [n] (fs: [n]affine) : [n]f64 =
  let compose (f: affine) (g: affine) = {slope = g.slope * f.slope, shift = g.slope * f.shift + g.shift}
  in scan compose {slope = 1, shift = 0} fs |> map (.shift)

def scans [n] (s: system [n]) : [n]f64 =
  -- The pivots u[i] = middle[i] - lower[i] upper[i-1] / u[i-1], from anything but zero.
  let first = if n == 0 then 1 else s.middle[0]
  let us =
    tabulate n (\i -> if i == 0 then {a = 1, b = 0, c = 0, d = 1}
                      else {a = s.middle[i], b = -s.lower[i] * s.upper[i - 1], c = 1, d = 0})
    |> scan after {a = 1, b = 0, c = 0, d = 1}
    |> map (\f -> (f.a * first + f.b) / (f.c * first + f.d))
  let ys = recurrence (tabulate n (\i -> { slope = if i == 0 then 0 else -s.lower[i] / us[i - 1]
                                         , shift = s.right[i] }))
  in map3 (\u y upper -> {slope = -upper / u, shift = y / u}) us ys s.upper
     |> reverse |> recurrence |> reverse

entry by_scans [m] [n] (lower: [m][n]f64) (middle: [m][n]f64) (upper: [m][n]f64)
    (right: [m][n]f64) : [m][n]f64 =
  map scans (systems lower middle upper right)

-- ==
-- entry: heat
-- input { 100 [0.0, 0.0, 1.0, 0.0, 0.0] } output { true true }

-- Implicit steps of the heat equation on a rod with closed ends: it levels out, and heat stays.
entry heat [n] (steps: i32) (start: [n]f64) : (bool, bool) =
  let k = 0.5
  let step (right: [n]f64) =
    thomas { lower = replicate n (-k), upper = replicate n (-k), right
           , middle = tabulate n (\i -> 1 + k * (if i == 0 || i == n - 1 then 1 else 2)) }
  let end = iterate steps step start
  let mean = f64.sum start / f64.i64 n
  in (all (\t -> f64.abs (t - mean) < 1e-3) end, f64.abs (f64.sum end - f64.sum start) < 1e-9)
