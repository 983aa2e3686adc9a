-- Numerical methods take the function that they work on as a parameter.
-- ==
-- input { 1000i64 } output { 0.3333333 2.0 }
-- input { 1i64 } output { 0.25 3.1415926 }

def midpoint (n: i64) (f: f64 -> f64) (a: f64) (b: f64) : f64 =
  let h = (b - a) / f64.i64 n
  in h * f64.sum (map (\i -> f (a + h * (f64.i64 i + 0.5))) (iota n))

def main (n: i64) : (f64, f64) =
  (midpoint n (\x -> x * x) 0 1, midpoint n f64.sin 0 f64.pi)

-- ==
-- entry: roots
-- input { 2.0 } output { 1.41421356 1.41421356 }
-- input { 81.0 } output { 9.0 9.0 }

def newton (f: f64 -> f64) (f': f64 -> f64) (x0: f64) : f64 =
  iterate 60 (\x -> x - f x / f' x) x0

def bisect (f: f64 -> f64) (low: f64) (high: f64) : f64 =
  let (l, h) =
    loop (l, h) = (low, high) for _i < 60i32 do
      let m = (l + h) / 2
      in if f m < 0 then (m, h) else (l, m)
  in (l + h) / 2

entry roots (a: f64) : (f64, f64) =
  let f = \x -> x * x - a
  in (newton f (\x -> 2 * x) a, bisect f 0 (a + 1))
