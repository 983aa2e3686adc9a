-- Truth tables, short-circuit evaluation, and the order on booleans.
-- ==
-- entry: table
-- input { [false, false, true, true] [false, true, false, true] }
-- output { [false, false, false, true] [false, true, true, true] [true, true, false, false]
--          [true, false, false, true] [false, true, true, false] }
-- input { empty([0]bool) empty([0]bool) }
-- output { empty([0]bool) empty([0]bool) empty([0]bool) empty([0]bool) empty([0]bool) }

-- ==
-- entry: guarded
-- input { [1, 2, 3] 1i64 } output { true false }
-- input { [1, 2, 3] 3i64 } output { false true }
-- input { [1, 2, 3] -1i64 } output { false true }
-- input { empty([0]i32) 0i64 } output { false true }

-- ==
-- entry: order
-- input { false true } output { true true false false }
-- input { true true } output { false true true false }

entry table [n] (a: [n]bool) (b: [n]bool) =
  (map2 (&&) a b, map2 (||) a b, map (\p -> !p) a, map2 (==) a b, map2 (!=) a b)

-- The index is only evaluated where it is inside.
entry guarded [n] (xs: [n]i32) (i: i64) =
  (i >= 0 && i < n && xs[i] == 2, i < 0 || i >= n || xs[i] != 2)

entry order (a: bool) (b: bool) = (a < b, a <= b, a >= b, a > b)
