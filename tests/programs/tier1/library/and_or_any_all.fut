-- and, or, any and all, with their answers for the empty array.
-- ==
-- entry: plain
-- input { [true, true] } output { true true }
-- input { [true, false] } output { false true }
-- input { [false] } output { false false }
-- input { empty([0]bool) } output { true false }

-- ==
-- entry: predicates
-- input { [2, 4, 6] } output { true true }
-- input { [1, 2] } output { true false }
-- input { [1, 3] } output { false false }
-- input { empty([0]i32) } output { false true }

-- ==
-- entry: sorted
-- input { [1, 2, 2, 9] } output { true }
-- input { [2, 1] } output { false }
-- input { [5] } output { true }

-- ==
-- entry: rows
-- input { [[true, true], [false, true]] } output { false true [true, false] }

def even (x: i32) = x % 2 == 0
entry plain [n] (bs: [n]bool) = (and bs, or bs)
entry predicates [n] (xs: [n]i32) = (any even xs, all even xs)
entry sorted [n] (xs: [n]i32) = all (\i -> i == n - 1 || xs[i] <= xs[i + 1]) (iota n)
entry rows [n] [m] (bss: [n][m]bool) = (all and bss, any or bss, map and bss)
