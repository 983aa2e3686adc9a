-- A failed assertion prints its condition as the source spells it.
-- ==
-- entry: positive
-- input { 4.0 } output { 2.0 }
-- input { 0.0 } output { 0.0 }
-- input { -1.0 } error: Assertion is false: \(x >= 0\)

-- ==
-- entry: every
-- input { [1, 2] } output { [1, 2] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [1, -2] } error: Assertion is false: \(all \(> 0\) xs\)

-- ==
-- entry: inner
-- input { [1, 2] } output { [10, 5] }
-- input { [1, 0] } error: Assertion is false: \(x != 0\)

-- ==
-- entry: only_when_taken
-- input { true 7 } error: Assertion is false: false
-- input { false 7 } output { -7 }

entry positive (x: f64) = assert (x >= 0) (f64.sqrt x)
entry every (xs: []i32) = assert (all (> 0) xs) xs
entry inner [n] (xs: [n]i32) = map (\x -> assert (x != 0) (10 / x)) xs
entry only_when_taken (b: bool) (x: i32) : i32 = if b then assert false (x * 2) else -x
