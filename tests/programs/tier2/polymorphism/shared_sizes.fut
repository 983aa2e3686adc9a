-- Parameters that share a size must agree: statically where known, otherwise when the entry is called.
-- ==
-- input { [1, 2, 3] [4, 5, 6] } output { 32 }
-- input { empty([0]i32) empty([0]i32) } output { 0 }
-- input { [1, 2, 3] [4, 5] } error:

def dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = i32.sum (map2 (*) xs ys)

def main [n] (xs: [n]i32) (ys: [n]i32) : i32 = dot xs ys

-- ==
-- entry: product
-- input { [[1, 2], [3, 4], [5, 6]] [[1, 0, 2], [0, 1, 3]] }
-- output { [[1, 2, 8], [3, 4, 18], [5, 6, 28]] }
-- input { empty([2][0]i32) empty([0][2]i32) } output { [[0, 0], [0, 0]] }
-- input { [[1, 2]] [[1, 2]] } error:

entry product [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  map (\row -> map (dot row) (transpose b)) a
