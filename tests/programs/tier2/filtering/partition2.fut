-- `partition2` splits in three: the first predicate wins over the second, the rest comes last.
-- ==
-- input { [5, 0, -1, 7, 0, -3] } output { [5, 7] [0, 0] [-1, -3] }
-- input { [1] } output { [1] empty([0]i32) empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) : ([]i32, []i32, []i32) = partition2 (> 0) (== 0) xs

-- ==
-- entry: overlapping
-- input { 7i64 } output { [0i64, 2i64, 4i64, 6i64] [3i64] [1i64, 5i64] }

entry overlapping (n: i64) : ([]i64, []i64, []i64) =
  partition2 (\i -> i % 2 == 0) (\i -> i % 3 == 0) (iota n)
