-- A relative import brings functions, types and operators of another file into scope.
-- ==
-- input { [3.0, 4.0] } output { 5.0 [6.0, 8.0] }
-- input { empty([0]f64) } output { 0.0 empty([0]f64) }

import "lib/vector"

def main [n] (x: vector [n]) : (f64, [n]f64) = (norm x, scale 2 x)

-- ==
-- entry: operators
-- input { 2 3 4 } output { 11 }

import "lib/operators"

entry operators (a: i32) (b: i32) (c: i32) : i32 = a -| b *| c + 0 * c
