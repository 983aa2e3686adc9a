-- Types may hold size expressions: sums, products and constants, checked against what is computed.
-- ==
-- input { [1, 2] [3] } output { [1, 2, 3] }
-- input { empty([0]i32) [3] } output { [3] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }

def join 'a [n] [m] (xs: [n]a) (ys: [m]a) : [n + m]a = xs ++ ys

def main [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 = join xs ys

-- ==
-- entry: fence
-- input { [1, 2, 3] } output { [0, 1, 3, 6] }
-- input { empty([0]i32) } output { [0] }

def sums [n] (xs: [n]i32) : [1 + n]i32 = [0] ++ scan (+) 0 xs

entry fence [n] (xs: [n]i32) : [1 + n]i32 = sums xs

-- ==
-- entry: halves
-- input { [1, 2, 3, 4] } output { [4, 6] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [1, 2, 3] } error:

def fold_half [n] (xs: [n + n]i32) : [n]i32 =
  let (front, back) = split xs
  in map2 (+) front back

entry halves [k] (xs: [k]i32) : []i32 =
  let n = k / 2
  in fold_half (xs :> [n + n]i32)

-- ==
-- entry: blocks
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]] 6i64 }
-- input { 0i64 3i64 } output { empty([0][3]i64) 0i64 }
-- input { 3i64 1i64 } output { [[0i64], [1i64], [2i64]] 3i64 }

def volume [k] (_: [k]i64) : i64 = k

entry blocks (n: i64) (m: i64) : ([n][m]i64, i64) =
  let flat: [n * m]i64 = iota (n * m)
  in (unflatten flat, volume (flatten (unflatten flat : [n][m]i64)))

-- ==
-- entry: without_ends
-- input { [1, 2, 3, 4] } output { [2, 3] }
-- input { [1, 2] } output { empty([0]i32) }

def inner 'a [n] (xs: [n]a) : [n - 2]a = xs[1:n - 1] :> [n - 2]a

entry without_ends [n] (xs: [n]i32) : []i32 = inner xs
