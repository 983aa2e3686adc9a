-- Imported by other programs: matrices on top of vectors, imported relative to this file.
-- ==
-- entry: test_apply
-- input { [[1.0, 2.0], [3.0, 4.0]] [1.0, 1.0] } output { [3.0, 7.0] }

import "vector"
import "deep/constants"

type matrix [n] [m] = [n](vector [m])

def apply [n] [m] (a: matrix [n] [m]) (x: vector [m]) : vector [n] = map (dot x) a

def identity (n: i64) : matrix [n] [n] =
  tabulate_2d n n (\i j -> if i == j then one else zero)

entry test_apply [n] [m] (a: [n][m]f64) (x: [m]f64) : [n]f64 = apply a x
