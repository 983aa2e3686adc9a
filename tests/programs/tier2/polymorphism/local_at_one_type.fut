-- Local polymorphic functions that are used at one type only, at one size or at several.
-- ==
-- entry: once
-- input { true } output { true }

-- ==
-- entry: in_a_branch
-- input { false } output { false }

-- ==
-- entry: at_two_sizes
-- input { [1, 2] [3, 4, 5] } output { [1, 2] [3, 4, 5] [7] }
-- input { empty([0]i32) [3] } output { empty([0]i32) [3] [7] }

-- ==
-- entry: two_parameters
-- input { [1, 2] } output { [2, 3] [5, 6] }
-- input { [1, 2, 3, 4] } output { [1, 2, 3, 4] [3, 4] }

-- ==
-- entry: first_or
-- input { [4, 5] } output { 4 }
-- input { empty([0]i32) } output { -1 }

entry once (b: bool) =
  let same 'a (x: a) : a = x
  in same b

entry in_a_branch (b: bool) =
  let same 'a (x: a) : a = x
  in if b then same b else b

entry at_two_sizes [n] (xs: [n]i32) (ys: []i32) =
  let row [k] 'a (xss: [k]a) : a = xss[0]
  in (row [xs, xs], row [ys], row [[7]])

entry two_parameters [n] (xs: [n]i32) =
  let choose 'a (x: a) (y: a) : a = if n > 3 then x else y
  in (choose xs (map (+ 1) xs), choose [3, 4] [5, 6])

entry first_or (xs: []i32) =
  let head_or [k] 'a (ys: [k]a) (z: a) : a = if k > 0 then ys[0] else z
  in head_or xs (-1)
