-- `let` with and without `in`, bindings used by later ones, and type annotations on them.
-- ==
-- entry: quadratic
-- input { 1.0 -3.0 2.0 } output { 1.0 2.0 }
-- input { 1.0 2.0 1.0 } output { -1.0 -1.0 }

-- ==
-- entry: inner
-- input { 3 } output { 25 }
-- input { -3 } output { 1 }

-- ==
-- entry: arrays
-- input { 3i64 } output { [0i64, 2i64, 4i64] 6i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

entry quadratic (a: f64) (b: f64) (c: f64) : (f64, f64) =
  let d = b * b - 4 * a * c
  let r : f64 = f64.sqrt d
  let half = 1 / (2 * a)
  in ((-b - r) * half, (-b + r) * half)

entry inner (x: i32) : i32 = (let y = x + 2 in y * y) * (let z = 1 let w = z in w)

entry arrays (n: i64) : ([n]i64, i64) =
  let xs : [n]i64 = iota n
  let ys = map (* 2) xs in
  let total = reduce (+) 0 ys in (ys, total)
