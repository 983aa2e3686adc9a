-- A size that must be known before it is used: a `let` in between.
-- ==
-- input { [1, -2, 3, 4] } output { 0i32 3i64 19i32 }
-- input { [-1] } output { 0i32 0i64 0i32 }

def count [n] (f: [n]i32 -> i32) (xs: [n]i32) : (i32, i64) = (f xs, n)
def main (xs: []i32) : (i32, i64, i32) =
  let ys = filter (> 0) xs
  let (a, n) = count (\_ -> 0) ys
  in (a, n, reduce (+) 0 <| map2 (*) ys (rotate 1 ys))
