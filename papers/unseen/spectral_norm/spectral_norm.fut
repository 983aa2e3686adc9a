-- The largest singular value of an infinite matrix, cut to n rows (Benchmarks Game).
-- ==
-- input { 3i64 }
-- output { 1.233644500988491f64 }
-- input { 1i64 }
-- output { 1.0f64 }

def entry_of (i: i64) (j: i64) : f64 = 1 / f64.i64 ((i + j) * (i + j + 1) / 2 + i + 1)

def times [n] (v: [n]f64) : [n]f64 =
  tabulate n (\i -> f64.sum (tabulate n (\j -> entry_of i j * v[j])))

def times_transposed [n] (v: [n]f64) : [n]f64 =
  tabulate n (\i -> f64.sum (tabulate n (\j -> entry_of j i * v[j])))

def both [n] (v: [n]f64) : [n]f64 = times_transposed (times v)

entry main (n: i64) : f64 =
  let (u, v) =
    loop (u, _) = (replicate n 1, replicate n 0) for _i < 10i32 do
      let v = both u
      in (both v, v)
  in f64.sqrt (f64.sum (map2 (*) u v) / f64.sum (map2 (*) v v))
