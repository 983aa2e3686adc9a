-- Pythagorean triples below n (paper 004, section 2): three bindings and two filters.  The numbers
-- of elements of the second and third binding depend on the earlier variables.
-- ==
-- input { 20i64 }
-- output { [3i64, 5i64, 6i64, 8i64, 9i64] [4i64, 12i64, 8i64, 15i64, 12i64]
--          [5i64, 13i64, 10i64, 17i64, 15i64] }
-- input { 6i64 } output { [3i64] [4i64] [5i64] }
-- input { 5i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { 0i64 } error: Range 1..<0 is invalid.

def main (n: i64) : [](i64, i64, i64) =
  [ (x, y, z) | x <- 1..<n, y <- x..<n, z <- y..<(x + y), z < n, x * x + y * y == z * z ]

