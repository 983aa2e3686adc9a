-- `:>` changes the sizes of a type and checks them; a wrong size stops the program.
-- ==
-- input { 3i64 [1, 2, 3] } output { [1, 2, 3] }
-- input { 0i64 empty([0]i32) } output { empty([0]i32) }
-- input { 2i64 [1, 2, 3] } error: cannot match shape

def main (n: i64) (xs: []i32) : [n]i32 = xs :> [n]i32

-- ==
-- entry: two_dimensions
-- input { 2i64 1i64 [[1], [2]] } output { 3 }
-- input { 1i64 2i64 [[1], [2]] } error: cannot match shape
-- input { 0i64 5i64 empty([0][5]i32) } output { 0 }

entry two_dimensions (n: i64) (m: i64) (xss: [][]i32) : i32 =
  let yss = xss :> [n][m]i32
  in i32.sum (flatten yss)

-- ==
-- entry: constant_size
-- input { [4, 5] } output { 9 }
-- input { [4] } error: cannot match shape

def add_pair (xs: [2]i32) : i32 = xs[0] + xs[1]

entry constant_size (xs: []i32) : i32 = add_pair (xs :> [2]i32)

-- ==
-- entry: inside_map
-- input { [[1, 2], [3, 4]] } output { [3, 7] }

entry inside_map [n] [m] (xss: [n][m]i32) : [n]i32 = map (\xs -> add_pair (xs :> [2]i32)) xss
