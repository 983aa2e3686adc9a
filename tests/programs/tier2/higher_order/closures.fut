-- Lambdas capture scalars, arrays, records and other functions, also inside nested maps and loops.
-- ==
-- input { 2 [1, 2, 3] } output { [2, 4, 6] }
-- input { 2 empty([0]i32) } output { empty([0]i32) }

def main [n] (k: i32) (xs: [n]i32) : [n]i32 = map (\x -> k * x) xs

-- ==
-- entry: captured_rows
-- input { [[1, 2], [3, 4]] [10, 20] } output { [[11, 22], [13, 24]] }

entry captured_rows [n] [m] (xss: [n][m]i32) (ys: [m]i32) : [n][m]i32 =
  let add_ys = \xs -> map2 (+) xs ys
  in map add_ys xss

-- ==
-- entry: captured_function
-- input { [1, 2] } output { [7, 9] }

entry captured_function [n] (xs: [n]i32) : [n]i32 =
  let f = \x -> 2 * x
  let g = \x -> f x + 5
  in map (\x -> g x) xs

-- ==
-- entry: captured_record
-- input { 3 } output { [3, 4, 5] }

entry captured_record (a: i32) : [3]i32 =
  let line = {slope = 1, offset = a}
  let at = \x -> line.slope * x + line.offset
  in map at [0, 1, 2]

-- ==
-- entry: in_loop
-- input { 3 } output { 14 }
-- input { 0 } output { 0 }

entry in_loop (n: i32) : i32 =
  loop s = 0 for i < n do
    let add = \x -> s + x
    in add ((i + 1) * (i + 1))

-- ==
-- entry: capture_is_by_value
-- input { 1 } output { 11 }

entry capture_is_by_value (x: i32) : i32 =
  let f = \y -> x + y
  let x = 100
  in f 10 + 0 * x
