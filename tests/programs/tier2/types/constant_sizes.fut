-- Top-level constants as sizes: known everywhere, computed once, and checked.
-- ==
-- entry: columns
-- input { [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [4, 5, 6]] }

def n: i64 = 3
def m: i64 = n - 1

def repeated (x: i32): *[n]i32 = replicate n x

entry columns (xs: [6]i32): [m][n]i32 = unflatten (xs :> [m * n]i32)

-- ==
-- entry: rows
-- input { [4, 5] } output { [[4, 4, 4], [5, 5, 5]] }
-- input { empty([0]i32) } output { empty([0][3]i32) }

entry rows (xs: []i32): [][n]i32 = map repeated xs

-- ==
-- entry: exactly
-- input { [1, 2, 3] } output { [1, 2, 3] }
-- input { [1, 2] } error: cannot match shape

entry exactly (xs: []i32): [n]i32 = xs :> [n]i32
