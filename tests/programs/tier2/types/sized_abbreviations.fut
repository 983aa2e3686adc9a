-- Type abbreviations with size parameters give names to vectors, matrices and records of arrays.
-- ==
-- input { [[1.0, 2.0], [3.0, 4.0]] [1.0, -1.0] } output { [-1.0, -1.0] }
-- input { empty([0][2]f64) [1.0, -1.0] } output { empty([0]f64) }
-- input { empty([2][0]f64) empty([0]f64) } output { [0.0, 0.0] }

type vector [n] = [n]f64
type matrix [n] [m] = [n](vector [m])

def apply [n] [m] (a: matrix [n] [m]) (x: vector [m]) : vector [n] =
  map (\row -> f64.sum (map2 (*) row x)) a

def main [n] [m] (a: matrix [n] [m]) (x: vector [m]) : vector [n] = apply a x

-- ==
-- entry: generic
-- input { [[1, 2, 3]] } output { [[1], [2], [3]] }

type grid 'a [n] [m] = [n][m]a

def turned 'a [n] [m] (g: grid a [n] [m]) : grid a [m] [n] = transpose g

entry generic [n] [m] (g: [n][m]i32) : grid i32 [m] [n] = turned g

-- ==
-- entry: constant_sizes
-- input { 1.0 2.0 3.0 } output { 14.0 [2.0, 4.0, 6.0] }

type point = vector [3]

def norm2 (p: point) : f64 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]

entry constant_sizes (x: f64) (y: f64) (z: f64) : (f64, point) =
  let p: point = [x, y, z]
  in (norm2 p, map (* 2) p)

-- ==
-- entry: wrapped
-- input { [true, false, true] } output { 2i64 3i64 }
-- input { empty([0]bool) } output { 0i64 0i64 }

type mask 'a [n] = {bits: [n]bool, other: a}

def count 'a [n] (m: mask a [n]) : (i64, a) = (i64.sum (map i64.bool m.bits), m.other)

entry wrapped [n] (bits: [n]bool) : (i64, i64) = count {bits, other = n}

-- A size in an abbreviation that is no polynomial of its parameters is checked, too.
type half [n] = [n / 2]i64
type halves [n] = (half [n + 1], [n]i64)
type square [n] 'a = [n][n * n / 2]a

-- ==
-- entry: halved
-- input { 2i64 1i64 } output { [0i64] [0i64, 1i64] }
-- input { 2i64 2i64 } error: cannot match shape

entry halved (n: i64) (k: i64) : ([]i64, []i64) = (iota k, iota n) :> halves [n]

def widths [n] (x: square [n] i64) : i64 = i64.sum x[0] + length x[0] + n

-- ==
-- entry: squared
-- input { 2i64 2i64 } output { 5i64 }
-- input { 2i64 1i64 } error: cannot match shape

entry squared (n: i64) (k: i64) : i64 = widths (replicate n (iota k) :> square [n] i64)
