-- reduce_comm with operators that commute, on numbers and pairs.
-- ==
-- entry: sums
-- input { [1, 2, 3, 4] } output { 10 24 }
-- input { empty([0]i32) } output { 0 1 }

-- ==
-- entry: argmax
-- input { [3.0, 9.0, 2.0, 9.0] } output { 9.0 1i64 }
-- input { [-1.0] } output { -1.0 0i64 }
-- input { empty([0]f64) } output { -f64.inf 9223372036854775807i64 }

entry sums [n] (xs: [n]i32) = (reduce_comm (+) 0 xs, reduce_comm (\x y -> y * x) 1 xs)

def better ((x, i): (f64, i64)) ((y, j): (f64, i64)) =
  if x > y then (x, i)
  else if y > x then (y, j)
  else (x, i64.min i j)
entry argmax [n] (xs: [n]f64) =
  reduce_comm better (-f64.inf, i64.highest) (zip xs (indices xs))
