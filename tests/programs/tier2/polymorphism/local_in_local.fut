-- Polymorphic local functions that use each other: an instance for each type of each use, also where
-- the types are parameters of a function in between.
-- ==
-- input { 3i64 } output { 3i64 3i64 true true }
-- input { -1i64 } output { -1i64 -1i64 true true }

-- ==
-- entry: swapped
-- input { 4i64 } output { true 4i64 2.5 7i32 }

-- ==
-- entry: three
-- input { 5i64 1.5 } output { 1i32 5i64 5i64 1.5 1i32 true true 1.5 1.5 }

-- ==
-- entry: sizes
-- input { 2i64 3i64 } output { 5i64 7i64 }
-- input { 0i64 0i64 } output { 1i64 1i64 }

-- ==
-- entry: functions
-- input { 4i64 } output { 5i64 false }

def main (x: i64) =
  let ident x = x
  let both 'a (x: a) = (ident x, x)
  let (a, b) = both x
  let (c, d) = both true
  in (a, b, c, d)

entry swapped (x: i64) =
  let pair 'a 'b (x: a) (y: b) = (x, y)
  let swap 'a 'b (p: (a, b)) = pair p.1 p.0
  let (a, b) = swap (x, true)
  let (c, d) = swap (7i32, 2.5f64)
  in (a, b, c, d)

-- `own` is inside of `some`, `unused` uses it at a type that nobody ever has.
def some_of 'c (z: c) (x: i64) =
  let ident x = x
  let beside 'a (x: a) = (ident x, z)
  let some 'b (x: b) =
    let own 'd (y: d) = (ident y, x)
    in (own 1i32, beside x)
  let unused 'e (x: e) = some [x]
  let ((a, b), (c, d)) = some x
  let ((e, f), (g, h)) = some true
  in (a, b, c, d, e, f, g, h, ident z)

entry three (x: i64) (z: f64) = some_of z x

entry sizes (n: i64) (m: i64) =
  let len [n] 'a (_: [n]a) = n
  let rows [k] 'a (xs: [k]a) = len xs + len (map (\x -> (x, x)) xs) + len [xs]
  in (rows (iota n), rows (replicate m true))

entry functions (x: i64) =
  let app 'a 'b (f: a -> b) (x: a) = f x
  let again 'a (f: a -> a) (x: a) = app (app f) x
  in (again (+ 1) x, again (\b -> !b) true)
