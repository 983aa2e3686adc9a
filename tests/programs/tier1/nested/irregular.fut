-- Inner arrays whose length depends on the element, reduced before they leave the map.
-- ==
-- entry: triangles
-- input { [3i64, 0i64, 1i64, 5i64] } output { [3i64, 0i64, 0i64, 10i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

-- ==
-- entry: segments
-- input { [2i64, 0i64, 3i64] [1, 2, 3, 4, 5] } output { [3, 0, 12] }
-- input { [0i64] empty([0]i32) } output { [0] }

-- ==
-- entry: lower_triangle
-- input { [[1, 2], [3, 4]] } output { [1, 7] }

-- ==
-- entry: primes
-- input { 10i64 } output { [false, false, true, true, false, true, false, true, false, false] }
-- input { 0i64 } output { empty([0]bool) }

entry triangles [n] (ks: [n]i64) = map (\k -> i64.sum (iota k)) ks
entry segments [n] (lengths: [n]i64) (xs: []i32) =
  let ends = scan (+) 0 lengths
  in map2 (\l e -> reduce (+) 0 xs[e - l:e]) lengths ends
entry lower_triangle [n] (xss: [n][n]i32) = map2 (\xs i -> i32.sum xs[:i + 1]) xss (iota n)
entry primes (n: i64) = map (\i -> i > 1 && all (\d -> i % d != 0) (2..<i)) (iota n)
