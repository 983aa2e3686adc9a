-- A size in a type may be a call of a function; two calls with the same argument are the same size.
-- ==
-- entry: main
-- input { 3i64 } output { [0i64, 1i64, 4i64, 9i64, 16i64, 25i64] 6i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

def triangle (n: i64) : i64 = n * (n + 1) / 2

def squares (n: i64) : [triangle n]i64 = map (\i -> i * i) (iota (triangle n))

def count (n: i64) (xs: [triangle n]i64) : i64 = length xs + 0 * n

entry main (n: i64) =
  let xs = squares n
  in (xs, count n xs)
