-- Local functions see the variables around them, may be polymorphic in sizes, and may shadow others.
-- ==
-- input { 3 } output { 13 23 }
-- input { -3 } output { 7 17 }

def main (x: i32) : (i32, i32) =
  let base = 10
  let shift (k: i32) : i32 = x + base * k
  in (shift 1, shift 2)

-- ==
-- entry: local_calls_local
-- input { 4 } output { 17 }

entry local_calls_local (x: i32) : i32 =
  let square y = y * y
  let square_plus_one y = square y + 1
  in square_plus_one x

-- ==
-- entry: local_with_size
-- input { [1, 2, 3] [[4, 5], [6, 7]] } output { 6 [9, 13] }
-- input { empty([0]i32) [[4], [6]] } output { 0 [4, 6] }

entry local_with_size [n] [m] (xs: [n]i32) (yss: [m][]i32) : (i32, [m]i32) =
  let total [k] (zs: [k]i32) : i32 = loop s = 0 for i < k do s + zs[i]
  in (total xs, map total yss)

-- ==
-- entry: local_polymorphic
-- input { 1 true } output { 1 true }

entry local_polymorphic (x: i32) (b: bool) : (i32, bool) =
  let pick 'a (y: a) (_: a) : a = y
  in (pick x 7, pick b false)

-- ==
-- entry: local_shadows_global
-- input { 5 } output { 50 }

def scale (x: i32) : i32 = 2 * x

entry local_shadows_global (x: i32) : i32 =
  let scale (y: i32) = 10 * y
  in scale x

-- ==
-- entry: local_shadows_itself
-- input { 5 } output { 11 }

entry local_shadows_itself (x: i32) : i32 =
  let scale (y: i32) = scale y + 1
  in scale x

-- ==
-- entry: local_operator_argument
-- input { [3, 1, 2] } output { 3 }

entry local_operator_argument [n] (xs: [n]i32) : i32 =
  let larger (a: i32) (b: i32) = if a > b then a else b
  in reduce larger i32.lowest xs
