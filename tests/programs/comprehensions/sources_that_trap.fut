-- What is drawn from traps as the array would that is not made: elements that nobody looks at,
-- functions of no element, and more elements than can be counted.
-- ==
-- entry: unseen
-- input { [1i64, 2i64] } output { [0i64, 1i64, 2i64, 0i64, 1i64, 2i64, 3i64] }
-- input { [1i64, 0i64] } error: division by zero
-- input { empty([0]i64) } output { empty([0]i64) }
entry unseen (xs: []i64) : []i64 = [ i | x <- xs, i <- indices (map (\y -> y / x) (iota (x + 2))) ]

-- ==
-- entry: unseen_inner
-- input { [1i64, 2i64] } output { [0i64, 1i64, 2i64, 0i64, 1i64, 2i64, 3i64] }
-- input { [1i64, 0i64] } error: division by zero
entry unseen_inner (xs: []i64) : []i64 =
  [ i | x <- xs, i <- indices [ y / x | y <- iota (x + 2) ] ]

-- ==
-- entry: literal
-- input { [1i64, 2i64] } output { [0i64, 1i64, 0i64, 1i64] }
-- input { [1i64, 0i64] } error: division by zero
entry literal (xs: []i64) : []i64 = [ i | x <- xs, i <- indices [1 / x, x] ]

def plus (a: i64) (b: i64) : i64 = a + b

-- ==
-- entry: no_element
-- input { [1i64, 2i64] } output { [1i64, 0i64, 1i64] }
-- input { [1i64, 0i64] } error: division by zero
-- input { [0i64] } error: division by zero
entry no_element (xs: []i64) : []i64 = [ y | x <- xs, y <- map (plus (1 / x)) (iota x) ]

-- ==
-- entry: never_an_element
-- input { [1i64, 2i64] } output { empty([0]i64) }
-- input { [1i64, 0i64] } error: division by zero
-- input { empty([0]i64) } output { empty([0]i64) }
entry never_an_element (xs: []i64) : []i64 = [ y | x <- xs, y <- map (plus (1 / x)) [] ]

-- ==
-- entry: tabulated
-- input { [1i64, 3i64] } output { [1i64, 0i64, 1i64, 2i64] }
-- input { [0i64] } error: division by zero
entry tabulated (xs: []i64) : []i64 = [ y | x <- xs, y <- tabulate x (+ (1 / x)), y < 100 ]

-- ==
-- entry: far
-- input { [-9223372036854775807i64, -9223372036854775806i64] }
-- output { [-9223372036854775808i64, -9223372036854775808i64, -9223372036854775807i64] }
-- input { [0i64, 0i64] } error: Range -9223372036854775808\.\.<0 is invalid\.
entry far (xs: []i64) : []i64 = [ y | x <- xs, y <- (-9223372036854775808)..<x ]

-- ==
-- entry: far_upto
-- input { [0i64, 1i64] } output { [0i64, 0i64, 1i64] }
-- input { [9223372036854775807i64, 9223372036854775807i64] } error: is invalid
entry far_upto (xs: []i64) : []i64 = [ y | x <- xs, y <- 0...x ]

-- ==
-- entry: far_steps
-- input { [0i64, 4611686018427387904i64] } output { [0i64, 4611686018427387904i64, 0i64, -4611686018427387904i64] }
-- input { [1i64, -4611686018427387904i64] } error: is invalid
entry far_steps (xs: []i64) : []i64 =
  [ y | x <- xs, y <- x..(if x > 0 then 0 else x + 1)...(-x) ]
