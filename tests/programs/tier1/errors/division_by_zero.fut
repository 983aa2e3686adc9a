-- Integer division by zero traps for every division operator; float division does not.
-- ==
-- entry: div
-- input { 7 2 } output { 3 }
-- input { 7 0 } error: division by zero
-- input { 0 0 } error: division by zero

-- ==
-- entry: mod
-- input { -7 2 } output { 1 }
-- input { -7 0 } error: division by zero

-- ==
-- entry: quot rem
-- input { 5u8 0u8 } error: division by zero
-- input { 0u8 1u8 } output { 0u8 }

-- ==
-- entry: floats
-- input { 1.0 0.0 } output { f64.inf }
-- input { 0.0 0.0 } output { f64.nan }

-- ==
-- entry: in_map
-- input { [4i64, 2i64] } output { [25i64, 50i64] }
-- input { [4i64, 0i64] } error: division by zero
-- input { empty([0]i64) } output { empty([0]i64) }

entry div (x: i32) (y: i32) = x / y
entry mod (x: i32) (y: i32) = x % y
entry quot (x: u8) (y: u8) = x // y
entry rem (x: u8) (y: u8) = x %% y
entry floats (x: f64) (y: f64) = x / y
entry in_map [n] (xs: [n]i64) = map (100 /) xs
