-- A result type `?[k].` promises some size; parts of one result that share `k` have equal sizes.
-- ==
-- input { [3, 0, 5, 0] } output { [0i64, 2i64] [3, 5] }
-- input { [0] } output { empty([0]i64) empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i64) empty([0]i32) }

def nonzero [n] (xs: [n]i32) : ?[k].([k]i64, [k]i32) =
  unzip (filter (\(_, x) -> x != 0) (zip (iota n) xs))

def main [n] (xs: [n]i32) : ([]i64, []i32) = nonzero xs

-- ==
-- entry: used_together
-- input { [3, 0, 5, 0] } output { [3i64, 7i64] }
-- input { [0, 0] } output { empty([0]i64) }

entry used_together [n] (xs: [n]i32) : []i64 =
  let (is, vs) = nonzero xs
  in map2 (\i v -> i + i64.i32 v) is vs

-- ==
-- entry: two_sizes
-- input { [5, -1, 0] } output { 1i64 1i64 [-1, 5] }
-- input { empty([0]i32) } output { 0i64 0i64 empty([0]i32) }

def signs [n] (xs: [n]i32) : ?[p][m].([p]i32, [m]i32) =
  (filter (> 0) xs, filter (< 0) xs)

entry two_sizes [n] (xs: [n]i32) : (i64, i64, []i32) =
  let (ps, ms) = signs xs
  in (length ps, length ms, ms ++ ps)

-- ==
-- entry: size_in_result
-- input { 10i64 } output { 4i64 [2i64, 3i64, 5i64, 7i64] }
-- input { 2i64 } output { 0i64 empty([0]i64) }

def primes_below (n: i64) : ?[k].[k]i64 =
  filter (\i -> i > 1 && all (\d -> d < 2 || d * d > i || i % d != 0) (iota i)) (iota n)

entry size_in_result (n: i64) : (i64, []i64) =
  let ps = primes_below n
  in (length ps, ps)
