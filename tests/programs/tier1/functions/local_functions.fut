-- Functions bound with `let` inside others, with captured variables and their own size parameters.
-- ==
-- entry: smooth
-- input { [1.0, 4.0, 7.0] } output { [2.0, 4.0, 6.0] }
-- input { [5.0] } output { [5.0] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: captured
-- input { 3 [1, 2] } output { [4, 5] 6 }

-- ==
-- entry: in_lambda
-- input { 2i64 } output { [[0i64, 10i64], [1i64, 11i64]] }
-- input { 0i64 } output { empty([0][2]i64) }

entry smooth [n] (xs: [n]f64) : [n]f64 =
  let at i = xs[i64.max 0 (i64.min (n - 1) i)]
  let average (i: i64) : f64 = (at (i - 1) + at i + at (i + 1)) / 3
  in map average (iota n)

entry captured (k: i32) (xs: []i32) =
  let shift [m] (ys: [m]i32) : [m]i32 = map (+ k) ys
  let twice y = k * y
  let k = 100
  in (shift xs, twice (k / 50))

entry in_lambda (n: i64) =
  map (\i -> let pair j = [i, i + j] in pair 10) (iota n)
