-- Slices whose ends and steps are so large that their difference is no i64 (Futhark 0.25 wraps it).
-- ==
-- entry: constant_step
-- input { [1i64, 2i64, 3i64] 0i64 9223372036854775807i64 } output { [1i64] }
-- input { [1i64, 2i64, 3i64] 1i64 3i64 } output { [2i64] }
-- input { [1i64, 2i64, 3i64] -1i64 9223372036854775807i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64] 9223372036854775807i64 0i64 } output { empty([0]i64) }

-- ==
-- entry: least_step
-- input { [1i64, 2i64, 3i64] 2i64 -1i64 } output { [3i64] }
-- input { [1i64, 2i64, 3i64] 2i64 2i64 } output { empty([0]i64) }
-- input { [1i64, 2i64, 3i64] 3i64 -1i64 } error: out of bounds

-- ==
-- entry: two
-- input { [1i64, 2i64, 3i64] 0i64 3i64 } output { [1i64, 3i64] }
-- input { [1i64, 2i64, 3i64] 1i64 1i64 } output { empty([0]i64) }
-- input { [1i64, 2i64, 3i64] 0i64 9223372036854775807i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64] -9223372036854775808i64 9223372036854775807i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64] 9223372036854775807i64 -9223372036854775808i64 } error: out of bounds

-- ==
-- entry: any_step
-- input { [1i64, 2i64, 3i64] 0i64 9223372036854775807i64 9223372036854775807i64 } output { [1i64] }
-- input { [1i64, 2i64, 3i64] 2i64 -1i64 -9223372036854775807i64 } output { [3i64] }
-- input { [1i64, 2i64, 3i64] 2i64 -1i64 -9223372036854775808i64 } output { [3i64] }
-- input { empty([0]i64) 0i64 0i64 -9223372036854775808i64 } output { empty([0]i64) }
-- input { [1i64, 2i64, 3i64] -9223372036854775808i64 9223372036854775807i64 2i64 } error: out of bounds

entry constant_step (xs: []i64) (lo: i64) (hi: i64) : []i64 = xs[lo:hi:9223372036854775807]
entry least_step (xs: []i64) (lo: i64) (hi: i64) : []i64 = xs[lo:hi:-9223372036854775808]
entry two (xs: []i64) (lo: i64) (hi: i64) : []i64 = xs[lo:hi:2]
entry any_step (xs: []i64) (lo: i64) (hi: i64) (s: i64) : []i64 = xs[lo:hi:s]
