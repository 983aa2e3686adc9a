-- A filter whose predicate is recursive, and a reduction of recursive values. Futhark 0.25 rejects recursion.
-- ==
-- input { 40i64 } output { [1i64, 4i64, 7i64, 10i64, 13i64, 16i64, 19i64, 22i64, 25i64, 28i64, 31i64, 34i64, 37i64] 780i64 }
def depth (n: i64) : i64 = if n <= 0 then 0 else 1 + depth (n - 1)

entry main (n: i64) : ([]i64, i64) =
  (filter (\i -> depth i % 3 == 1) (iota n), reduce (+) 0 (map depth (iota n)))
