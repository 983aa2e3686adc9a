-- `if` as an expression: chains, nesting, in arguments, and yielding arrays.
-- ==
-- entry: sign
-- input { 5 } output { 1 }
-- input { 0 } output { 0 }
-- input { -5 } output { -1 }

-- ==
-- entry: grade
-- input { [95, 80, 65, 10, 100] } output { [4u8, 3u8, 2u8, 0u8, 4u8] }
-- input { empty([0]i32) } output { empty([0]u8) }

-- ==
-- entry: pad
-- input { [1, 2] true } output { [1, 2, 0] }
-- input { [1, 2] false } output { [1, 2] }
-- input { empty([0]i32) true } output { [0] }

-- ==
-- entry: lazy
-- input { 10 0 } output { 0 }
-- input { 10 3 } output { 3 }

entry sign (x: i32) : i32 = if x > 0 then 1 else if x < 0 then -1 else 0
entry grade [n] (xs: [n]i32) : [n]u8 =
  map (\x -> if x >= 90 then 4 else if x >= 75 then 3 else if x >= 50 then 2 else 0) xs
entry pad (xs: []i32) (wide: bool) : []i32 = if wide then xs ++ [0] else xs
entry lazy (x: i32) (y: i32) = 0 + (if y == 0 then 0 else x / y)
