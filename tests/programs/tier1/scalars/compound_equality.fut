-- `==` and `!=` compare tuples and arrays as wholes.
-- ==
-- entry: tuples
-- input { 1 2f32 true } output { true false }
-- input { 1 3f32 true } output { false true }
-- input { 1 2f32 false } output { false true }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [[1, 2], [3, 4]] } output { true false }
-- input { [[1, 2], [3, 4]] [[1, 2], [3, 5]] } output { false true }
-- input { empty([0][2]i32) empty([0][2]i32) } output { true false }

-- ==
-- entry: tuple_of_arrays
-- input { [1, 2] [true] } output { true }
-- input { [1, 3] [true] } output { false }
-- input { [1, 2] [false] } output { false }

entry tuples (a: i32) (b: f32) (c: bool) =
  ((a, (b, c)) == (1, (2, true)), (a, (b, c)) != (1, (2, true)))
entry rows [n] [m] (a: [n][m]i32) (b: [n][m]i32) = (a == b, a != b)
entry tuple_of_arrays (a: [2]i32) (b: [1]bool) = (a, b) == ([1, 2], [true])
