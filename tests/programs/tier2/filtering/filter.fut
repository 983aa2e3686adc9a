-- `filter` keeps the elements that satisfy a predicate, in order; none, some, or all.
-- ==
-- input { [5, -1, 0, 3, -2] } output { [5, 3] }
-- input { [-1, -2] } output { empty([0]i32) }
-- input { [1, 2] } output { [1, 2] }
-- input { empty([0]i32) } output { empty([0]i32) }

def main (xs: []i32) : []i32 = filter (> 0) xs

-- ==
-- entry: of_tuples
-- input { [3, 1, 2] [true, false, true] } output { [3, 2] }
-- input { [3] [false] } output { empty([0]i32) }

entry of_tuples [n] (xs: [n]i32) (keep: [n]bool) : []i32 =
  zip xs keep |> filter (.1) |> map (.0)

-- ==
-- entry: of_rows
-- input { [[1, -1], [2, 3], [0, 0]] } output { [[2, 3]] }
-- input { [[1, -1]] } output { empty([0][2]i32) }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }

entry of_rows [n] [m] (xss: [n][m]i32) : [][m]i32 = filter (\xs -> i32.sum xs > 0) xss

-- ==
-- entry: twice
-- input { 20i64 } output { [0i64, 6i64, 12i64, 18i64] }
-- input { 0i64 } output { empty([0]i64) }

entry twice (n: i64) : []i64 =
  iota n |> filter (\i -> i % 2 == 0) |> filter (\i -> i % 3 == 0)

-- ==
-- entry: reduced
-- input { [1.0, f64.nan, 3.0] } output { 4.0 2i64 }
-- input { [f64.nan] } output { 0.0 0i64 }

entry reduced [n] (xs: [n]f64) : (f64, i64) =
  let finite = filter (f64.isnan >-> (== false)) xs
  in (f64.sum finite, length finite)
