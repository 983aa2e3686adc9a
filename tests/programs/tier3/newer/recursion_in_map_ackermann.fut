-- A call whose argument is a call, in a map of a map. Futhark 0.25 rejects recursion.
-- ==
-- input { 4i64 5i64 } output { [[1i64, 2i64, 3i64, 4i64, 5i64], [2i64, 3i64, 4i64, 5i64, 6i64], [3i64, 5i64, 7i64, 9i64, 11i64], [5i64, 13i64, 29i64, 61i64, 125i64]] }
def ack (m: i64) (n: i64) : i64 =
  if m == 0 then n + 1 else if n == 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))

entry main (m: i64) (n: i64) : [m][n]i64 = map (\i -> map (\j -> ack i j) (iota n)) (iota m)
