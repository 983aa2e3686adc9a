-- Derivatives by dual numbers: records, own operators, and functions that take functions.
-- ==
-- input { 2.0 } output { 10.0 13.0 }
-- input { 0.0 } output { 0.0 1.0 }

type dual = {v: f64, d: f64}

def constant (v: f64) : dual = {v, d = 0}
def (+.) (a: dual) (b: dual) : dual = {v = a.v + b.v, d = a.d + b.d}
def (*.) (a: dual) (b: dual) : dual = {v = a.v * b.v, d = a.d * b.v + a.v * b.d}
def (/.) (a: dual) (b: dual) : dual = {v = a.v / b.v, d = (a.d * b.v - a.v * b.d) / (b.v * b.v)}
def lift (f: f64 -> f64) (f': f64 -> f64) (a: dual) : dual = {v = f a.v, d = f' a.v * a.d}

def derive (f: dual -> dual) (x: f64) : (f64, f64) =
  let r = f {v = x, d = 1}
  in (r.v, r.d)

def main (x: f64) : (f64, f64) = derive (\x -> x *. x *. x +. x) x

-- ==
-- entry: quotient
-- input { 1.0 } output { 0.5 -0.5 }

entry quotient (x: f64) : (f64, f64) = derive (\x -> constant 1 /. (constant 1 +. x *. x)) x

-- ==
-- entry: composed
-- input { 0.5 } output { 0.2474039593 0.9689124217 }

entry composed (x: f64) : (f64, f64) = derive (\x -> lift f64.sin f64.cos (x *. x)) x

-- ==
-- entry: newton
-- input { [2.0, 9.0, 0.25] } output { [1.41421356, 3.0, 0.5] }
-- input { empty([0]f64) } output { empty([0]f64) }

entry newton [n] (as: [n]f64) : [n]f64 =
  map (\a ->
         let step x = let (v, d) = derive (\x -> x *. x +. constant (-a)) x in x - v / d
         in iterate 40 step a)
      as
