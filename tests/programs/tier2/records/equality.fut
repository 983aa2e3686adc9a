-- Records of the same fields have one type in any order of writing, and compare field by field.
-- ==
-- input { 1 2 } output { true false true }
-- input { 2 1 } output { true false true }
-- input { 0 0 } output { true true false }

def main (a: i32) (b: i32) : (bool, bool, bool) =
  ( {a, b} == {b, a}
  , {a, b} == {a = b, b = a}
  , {a, b} != {a = b, b = a}
  )

-- ==
-- entry: ordered_if
-- input { true } output { 1 2 }
-- input { false } output { 4 3 }

entry ordered_if (c: bool) : (i32, i32) =
  let r = if c then {p = 1, q = 2} else {q = 3, p = 4}
  in (r.p, r.q)

-- ==
-- entry: with_arrays
-- input { [1, 2] [1, 2] } output { true }
-- input { [1, 2] [1, 3] } output { false }
-- input { empty([0]i32) empty([0]i32) } output { true }

entry with_arrays [n] (xs: [n]i32) (ys: [n]i32) : bool =
  {data = xs, tag = 1u8} == {tag = 1u8, data = ys}
