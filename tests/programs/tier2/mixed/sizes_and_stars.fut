-- Sizes that only running makes known, sizes in types of functions, and what is consumed on the way.
-- ==
-- entry: main
-- input { [3, -1, 2] 2i64 } output { [2, 4, 2, 4] 5 }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) 0 }

type^ step [n] = *[n]i32 -> i32 -> (*[n]i32, i32)

def positive [n] (xs: [n]i32) : ?[k].[k]i32 = filter (> 0) xs

def repeated [n] (f: step [n]) (xs: *[n]i32) (k: i64) : (*[n]i32, i32) =
  loop (ys, s) = (xs, 0) for _i < k do
    let (zs, t) = f ys s
    in (zs, t + 1)

def bump [n] (xs: *[n]i32) (s: i32) : (*[n]i32, i32) =
  if n == 0 then (xs, s) else let x = xs[0] let xs[0] = x + 1 in (xs, s)

def tiled [n] (k: i64) (xs: [n]i32) : [k * n]i32 = flatten (replicate k xs)

def pairs [n] 'a (xs: [n]a) (ys: [n]a) : [n](a, a) = map2 (\x y -> (x, y)) xs ys

def main (xs: []i32) (k: i64) =
  let ys = positive xs
  let (zs, s) = repeated bump (copy ys) (i64.i32 (i32.bool (length ys > 0)))
  let [m] (ts: [m]i32) = tiled k zs
  let us = pairs ts (map (+ 1) ts)
  in (map (\(a, b) -> i32.min a (b - 1)) us |> reverse, i32.sum zs - s)
