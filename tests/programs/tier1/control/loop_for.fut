-- `for i < n`: zero iterations, the type of the counter, nested loops, and several results.
-- ==
-- entry: triangle
-- input { 5 } output { 10 }
-- input { 1 } output { 0 }
-- input { 0 } output { 0 }
-- input { -3 } output { 0 }

-- ==
-- entry: fibonacci
-- input { 10i64 } output { 55i64 89i64 }
-- input { 0i64 } output { 0i64 1i64 }

-- ==
-- entry: counter_types
-- input { 4i8 4i16 } output { 6i8 6i16 }

-- ==
-- entry: pairs_below
-- input { 4i64 } output { 6 [[0, 0, 0, 0], [1, 0, 0, 0], [2, 2, 0, 0], [3, 3, 3, 0]] }
-- input { 0i64 } output { 0 empty([0][0]i32) }

entry triangle (n: i32) = loop acc = 0 for i < n do acc + i
entry fibonacci (n: i64) : (i64, i64) = loop (a, b) = (0, 1) for _i < n do (b, a + b)
entry counter_types (n: i8) (m: i16) =
  (loop acc = 0 for i < n do acc + i, loop acc = 0 for i < m do acc + i)
entry pairs_below (n: i64) =
  loop (count, seen) = (0i32, replicate n (replicate n 0i32)) for i < n do
    loop (count, seen) for j < i do
      (count + 1, seen with [i, j] = i32.i64 i)
