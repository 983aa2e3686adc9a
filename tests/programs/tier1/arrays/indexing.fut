-- Full and partial indexing, indices of any signed integer type, and indexing of any expression.
-- ==
-- entry: element
-- input { [[1, 2, 3], [4, 5, 6]] 1i64 2i64 } output { 6 6 [4, 5, 6] }
-- input { [[1, 2, 3], [4, 5, 6]] 0i64 0i64 } output { 1 1 [1, 2, 3] }

-- ==
-- entry: index_types
-- input { [10, 20, 30, 40] } output { 10 20 30 40 }

-- ==
-- entry: of_calls
-- input { 3i64 } output { 2i64 9i64 4i64 }

-- ==
-- entry: indirect
-- input { [2i64, 0i64, 1i64] [10, 20, 30] } output { [30, 10, 20] }
-- input { empty([0]i64) [10, 20, 30] } output { empty([0]i32) }

-- ==
-- entry: adjacency
-- input { [4, 5] } output { 5 1i64 }

entry element [n] [m] (xss: [n][m]i32) (i: i64) (j: i64) = (xss[i, j], xss[i][j], xss[i])
entry index_types (xs: []i32) = (xs[0i8], xs[1i16], xs[2i32], xs[3i64])
entry of_calls (n: i64) = ((iota n)[n - 1], (map (** 2) (iota (n + 1)))[n], [[1, 2], [3, 4i64]][1, 1])
entry indirect [n] (is: [n]i64) (xs: []i32) = map (\i -> xs[i]) is
-- `xs[1]` is an index; `length [1]` is an application.
entry adjacency (xs: []i32) = (xs[1], length [1])
