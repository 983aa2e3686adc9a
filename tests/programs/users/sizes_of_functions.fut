-- Size parameters that only types of functions have.
-- ==
-- input { [1, 2, 3] 2i64 } output { [2i32, 3i32, 4i32] 303i64 [1i32, 3i32] 203i64 [1i64, 1i64] }

def on [n] [m] (f: [n]i32 -> [m]i32) (xs: [n]i32) : ([m]i32, i64) = (f xs, n + 100 * m)
def made [n] (f: (i: i64) -> [n]i64) : [n]i64 = map2 (+) (f 0) (f 1)
def main (xs: [3]i32) (k: i64) : ([3]i32, i64, []i32, i64, []i64) =
  let (a, p) = on (map (+ 1)) xs
  let (b, q) = on (\(ys: [3]i32) -> [ys[0], ys[2]]) xs
  in (a, p, b, q, made (\i -> replicate k i))
