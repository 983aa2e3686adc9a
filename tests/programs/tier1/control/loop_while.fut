-- `while`: the condition sees the loop parameters; the body may never run.
-- ==
-- entry: collatz
-- input { 1i64 } output { 0 }
-- input { 6i64 } output { 8 }
-- input { 27i64 } output { 111 }

-- ==
-- entry: gcd
-- input { 12 18 } output { 6 }
-- input { 0 5 } output { 5 }
-- input { 5 0 } output { 5 }
-- input { 17 13 } output { 1 }

-- ==
-- entry: newton
-- input { 2.0 } output { 1.4142135623730951 }
-- input { 1.0 } output { 1.0 }

-- ==
-- entry: binary_search
-- input { [1, 3, 5, 7, 9] 7 } output { 3i64 }
-- input { [1, 3, 5, 7, 9] 8 } output { 4i64 }
-- input { [1, 3, 5, 7, 9] 0 } output { 0i64 }
-- input { empty([0]i32) 1 } output { 0i64 }

entry collatz (n: i64) : i32 =
  (loop (n, steps) = (n, 0) while n != 1 do
     (if n % 2 == 0 then n / 2 else 3 * n + 1, steps + 1)).1
entry gcd (a: i32) (b: i32) = (loop (a, b) while b != 0 do (b, a % b)).0
entry newton (x: f64) = loop r = x while f64.abs (r * r - x) > 1e-12 do (r + x / r) / 2
entry binary_search [n] (xs: [n]i32) (key: i32) =
  let (lo, _) =
    loop (lo, hi) = (0, n) while lo < hi do
      let mid = (lo + hi) / 2
      in if xs[mid] < key then (mid + 1, hi) else (lo, mid)
  in lo
