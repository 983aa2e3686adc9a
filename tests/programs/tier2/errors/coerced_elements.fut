-- A coercion checks the sizes inside of tuples in arrays, also those that it computes.
-- ==
-- entry: main
-- input { 3i64 2i64 } output { [[0i64, 0i64, 0i64], [1i64, 1i64, 1i64]] [0i64, 1i64] }
-- input { 3i64 1i64 } error: cannot match shape
-- input { 0i64 -1i64 } output { empty([2][0]i64) [0i64, 1i64] }
-- input { 0i64 -2i64 } error: cannot match shape

-- ==
-- entry: nested
-- input { 1i64 } output { 1i64 }
-- input { 2i64 } error: cannot match shape

-- ==
-- entry: awaited
-- input { 1i64 } error: cannot match shape
-- input { 0i64 } error:

def next (x: i64) = x + 1

entry main (n: i64) (k: i64) : ([2][n]i64, [2]i64) =
  let pairs = map (\i -> (replicate n i, i)) (iota 2)
  let (xss, is) = unzip (pairs :> [2]([next k]i64, i64))
  in (xss :> [2][n]i64, is)

entry nested (n: i64) : i64 =
  let pairs = replicate 2 (true, {a = replicate n 1i64})
  in i64.sum (pairs :> [2](bool, {a: [next (n - 1) * n]i64}))[1].1.a

entry awaited (n: i64) : i64 =
  let pairs = [(replicate n 1i64, true)]
  in (\(ps: []([next n]i64, bool)) -> ps[0].0[0]) (pairs :> [1]([next n]i64, bool))
