-- Recursive functions that pass the functions that they take on unchanged.
-- ==
-- input { 5 } output { 10 32 }
-- input { 1 } output { 2 2 }

def times 'a (f: a -> a) (n: i32) (x: a) : a = if n == 0 then x else times f (n - 1) (f x)

def main (n: i32) : (i32, i32) =
  let base = n / n + 1
  in (times (+ 2) n 0, (times (\(x, k) -> (x * k, k)) n (1, base)).0)

-- ==
-- entry: roots
-- input { [4.0, 9.0, 2.25] } output { [2.0, 3.0, 1.5] }
-- input { empty([0]f64) } output { empty([0]f64) }

def bisect (f: f64 -> f64) (lo: f64) (hi: f64) : f64 =
  if hi - lo < 1e-9 then (lo + hi) / 2
  else let mid = (lo + hi) / 2
       in if f mid < 0 then bisect f mid hi else bisect f lo mid

entry roots (xs: []f64) : []f64 = map (\x -> bisect (\y -> y * y - x) 0 10) xs

-- ==
-- entry: counted
-- input { [1, 5, 2, 7] [2, 3, 7] } output { 2i64 3i64 }
-- input { empty([0]i32) [1] } output { 0i64 0i64 }

def count (p: i32 -> bool) (xs: []i32) (i: i64) : i64 =
  if i >= length xs then 0 else (if p xs[i] then 1 else 0) + count p xs (i + 1)

entry counted (xs: []i32) (ys: []i32) : (i64, i64) =
  let among x = count (== x) ys 0 > 0
  in (count among xs 0, count (\x -> !(among x) || x == 2) xs 0)

-- ==
-- entry: nested
-- input { 3 } output { 21 }

def outer (f: i32 -> i32) (g: i32 -> i32) (n: i32) : i32 =
  if n == 0 then 0 else f (times g n n) + outer f g (n - 1)

entry nested (n: i32) : i32 = outer (\x -> x + n) (+ 1) n - 3 + times (\x -> x + n) 1 n - n
