-- A named parameter can be the size of later parameters and of the result.
-- ==
-- input { 3i64 7 } output { [7, 7, 7] }
-- input { 0i64 7 } output { empty([0]i32) }

def fill 'a (n: i64) (x: a) : [n]a = replicate n x

def main (n: i64) (x: i32) : [n]i32 = fill n x

-- ==
-- entry: windows
-- input { 2i64 [1, 2, 3, 4] } output { [[1, 2], [2, 3], [3, 4]] }
-- input { 4i64 [1, 2, 3, 4] } output { [[1, 2, 3, 4]] }

entry windows [n] (k: i64) (xs: [n]i32) : [][k]i32 =
  map (\i -> xs[i:i + k] :> [k]i32) (iota (n - k + 1))

-- ==
-- entry: checked
-- input { 3i64 [1, 2, 3] } output { 6 }
-- input { 2i64 [1, 2, 3] } error:

entry checked (n: i64) (xs: [n]i32) : i32 = i32.sum xs

-- ==
-- entry: table
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] }
-- input { 0i64 3i64 } output { empty([0][3]i64) }
-- input { 2i64 0i64 } output { empty([2][0]i64) }

def grid 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : [n][m]a =
  map (\i -> map (f i) (iota m)) (iota n)

entry table (n: i64) (m: i64) : [n][m]i64 = grid n m (\i j -> 10 * i + j)
