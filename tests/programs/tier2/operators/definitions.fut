-- User-defined operators over records, vectors and functions, with type and size parameters.
-- ==
-- input { 1.0 2.0 3.0 4.0 } output { 4.0 6.0 -5.0 10.0 }

type complex = {re: f64, im: f64}

def (+!) (a: complex) (b: complex) : complex = {re = a.re + b.re, im = a.im + b.im}
def (*!) (a: complex) (b: complex) : complex =
  {re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re}

def main (a: f64) (b: f64) (c: f64) (d: f64) : (f64, f64, f64, f64) =
  let z = {re = a, im = b}
  let w = {re = c, im = d}
  let s = z +! w
  let p = z *! w
  in (s.re, s.im, p.re, p.im)

-- ==
-- entry: vectors
-- input { [1, 2, 3] [10, 20, 30] } output { [11, 22, 33] 140 [2, 4, 6] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) 0 empty([0]i32) }

def (<+>) [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys
def (<.>) [n] (xs: [n]i32) (ys: [n]i32) : i32 = i32.sum (map2 (*) xs ys)
def (*>) [n] (k: i32) (xs: [n]i32) : [n]i32 = map (* k) xs

entry vectors [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, i32, [n]i32) = (xs <+> ys, xs <.> ys, 2 *> xs)

-- ==
-- entry: polymorphic
-- input { 3 5 } output { 3 true }

def (<!>) 'a (c: bool) (branches: (a, a)) : a = if c then branches.0 else branches.1

entry polymorphic (a: i32) (b: i32) : (i32, bool) = ((a < b) <!> (a, b), (a > b) <!> (false, true))

-- ==
-- entry: as_values
-- input { [1, 2, 3, 4] } output { 2 [0, 1, 2, 3] [4, 3, 2, 1] }

def (-|) (a: i32) (b: i32) : i32 = i32.abs (a - b)

entry as_values [n] (xs: [n]i32) : (i32, [n]i32, [n]i32) =
  (foldl (-|) 0 xs, map (-| 1) xs, map (5 -|) xs)
