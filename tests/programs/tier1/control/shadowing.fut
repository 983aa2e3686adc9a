-- An inner binding hides an outer one of the same name, in let, lambda, loop and parameters.
-- ==
-- entry: lets
-- input { 1 } output { 10 }

-- ==
-- entry: lambdas
-- input { 5 } output { [1, 2, 3] 5 }

-- ==
-- entry: loops
-- input { 3 } output { 9 3 }
-- input { 0 } output { 0 0 }

-- ==
-- entry: top_level
-- input { 2 } output { 4 101 }

-- ==
-- entry: builtin
-- input { [3, 1] } output { 2 [1, 3] }

def base : i32 = 100
def offset (x: i32) = base + x

entry lets (x: i32) = let x = x + 1 let x = x * 5 in x
entry lambdas (x: i32) = (map (\x -> x) [1, 2, 3], x)
entry loops (x: i32) = (loop x = 0 for i < x do let x = x + i in x + 2, x)
entry top_level (base: i32) = (let base = base * base in base, offset 1)
-- A parameter and a local definition hide library names.
entry builtin (map: [2]i32) = let length = 2 in (length, reverse map)
