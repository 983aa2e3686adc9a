-- An imported file imports files relative to itself; what those define is visible only where imported.
-- ==
-- input { [1.0, 2.0] } output { [1.0, 2.0] 3.0 }
-- input { empty([0]f64) } output { empty([0]f64) 0.0 }

import "lib/matrix"

-- Not the `limit` of lib/deep/constants, and not its `one` either.
def one: i32 = 7
def sum_of [n] (x: [n]f64) : f64 = f64.sum x

def main [n] (x: [n]f64) : ([n]f64, f64) =
  (apply (identity n) x, sum_of x)

-- ==
-- entry: own_names
-- input { } output { 7 }

entry own_names : i32 = one
