-- A file reached on two ways is the same file: its types are the same types.
-- ==
-- input { [[2.0, 0.0], [0.0, 3.0]] [1.0, 1.0] } output { 3.6055513 }

import "lib/matrix"
import "lib/vector"
import "lib/deep/constants"

def main [n] [m] (a: matrix [n] [m]) (x: vector [m]) : f64 = norm (apply a x)

-- ==
-- entry: shadowed
-- input { } output { 100 101 }

def before: i32 = limit
def limit: i32 = before + 1

entry shadowed : (i32, i32) = (before, limit)
