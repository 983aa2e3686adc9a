-- Functions return functions, which keep what they captured.
-- ==
-- input { 2 5 } output { 7 10 }
-- input { 0 5 } output { 5 0 }

def adder (n: i32) : i32 -> i32 = \x -> x + n
def scaler n = \x -> x * n : i32

def main (n: i32) (x: i32) : (i32, i32) =
  let f = adder n
  in (f x, (scaler n) x)

-- ==
-- entry: two_closures
-- input { 3 } output { 103 1003 }

entry two_closures (x: i32) : (i32, i32) =
  let near = adder 100
  let far = adder 1000
  in (near x, far x)

-- ==
-- entry: returned_pair
-- input { 4 } output { 5 3 }

def neighbours (step: i32) : (i32 -> i32, i32 -> i32) = (\x -> x + step, \x -> x - step)

entry returned_pair (x: i32) : (i32, i32) =
  let (up, down) = neighbours 1
  in (up x, down x)

-- ==
-- entry: captured_array
-- input { [10, 20, 30] [2i64, 0i64] } output { [30, 10] }
-- input { [10] empty([0]i64) } output { empty([0]i32) }
-- input { [10] [1i64] } error: out of bounds

def lookup 'a [n] (table: [n]a) : i64 -> a = \i -> table[i]

entry captured_array [n] [m] (table: [n]i32) (is: [m]i64) : [m]i32 = map (lookup table) is

-- ==
-- entry: polynomial
-- input { [1.0, 0.0, 2.0] [0.0, 1.0, 3.0] } output { [1.0, 3.0, 19.0] }
-- input { empty([0]f64) [5.0] } output { [0.0] }

def horner [k] (cs: [k]f64) : f64 -> f64 = \x -> loop y = 0 for i < k do y * x + cs[k - 1 - i]

entry polynomial [k] [n] (cs: [k]f64) (xs: [n]f64) : [n]f64 =
  let p = horner cs
  in map p xs
