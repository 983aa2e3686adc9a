-- `tabulate` in one to three dimensions, `indices`, `iota` and `rep`.
-- ==
-- input { 2i64 3i64 }
-- output { [0i64, 1i64] [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] [[[0i64, 0i64, 0i64], [0i64, 1i64, 2i64]], [[1i64, 1i64, 1i64], [1i64, 2i64, 3i64]]] [true, true] }
-- input { 0i64 1i64 } output { empty([0]i64) empty([0][1]i64) empty([2][0][1]i64) empty([0]bool) }

def main (n: i64) (m: i64) : ([n]i64, [n][m]i64, [2][n][m]i64, [n]bool) =
  ( tabulate n (\i -> i * i)
  , tabulate_2d n m (\i j -> 10 * i + j)
  , tabulate_3d 2 n m (\i j k -> i + j * k)
  , rep true)
