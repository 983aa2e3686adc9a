-- A constructor may carry an array, of a size fixed by the type or shared by all constructors.
-- ==
-- input { 0 [1, 2, 3] } output { 6 }
-- input { 1 [1, 2, 3] } output { 3 }
-- input { 2 [1, 2, 3] } output { 0 }
-- input { 0 empty([0]i32) } output { 0 }

type payload [n] = #array [n]i32 | #count i64 | #nothing

def weight [n] (p: payload [n]) : i32 =
  match p
  case #array xs -> i32.sum xs
  case #count c -> i32.i64 c
  case #nothing -> 0

def choose [n] (k: i32) (xs: [n]i32) : payload [n] =
  if k == 0 then #array xs else if k == 1 then #count n else #nothing

def main [n] (k: i32) (xs: [n]i32) : i32 = weight (choose k xs)

-- ==
-- entry: constant_size
-- input { 1.0 2.0 } output { 5.0 3.0 }

type vector = #cartesian [2]f64 | #polar f64 f64

def square_norm (v: vector) : f64 =
  match v
  case #cartesian c -> c[0] * c[0] + c[1] * c[1]
  case #polar r _ -> r * r

entry constant_size (x: f64) (y: f64) : (f64, f64) =
  (square_norm (#cartesian [x, y]), square_norm (#polar (f64.sqrt 3) y))

-- ==
-- entry: two_arrays
-- input { true [1, 2] [3.0, 4.0] } output { [1.0, 2.0] }
-- input { false [1, 2] [3.0, 4.0] } output { [3.0, 4.0] }

type column [n] = #ints [n]i32 | #reals [n]f64

def to_reals [n] (c: column [n]) : [n]f64 =
  match c
  case #ints xs -> map f64.i32 xs
  case #reals xs -> xs

entry two_arrays [n] (b: bool) (xs: [n]i32) (ys: [n]f64) : [n]f64 =
  to_reals (if b then #ints xs else #reals ys)

-- ==
-- entry: mapped
-- input { [[1, 2], [3, 4]] } output { [3, 2] }

entry mapped [n] [m] (xss: [n][m]i32) : [n]i32 =
  map2 (\i xs -> weight (choose (i32.i64 i) xs)) (iota n) xss
