-- not as a function, and booleans as numbers in counting.
-- ==
-- entry: negated
-- input { [true, false] } output { [false, true] 1 1i64 }
-- input { empty([0]bool) } output { empty([0]bool) 0 0i64 }

-- ==
-- entry: parity
-- input { [1, 0, 3, -2] } output { true [true, false, true, false] }

entry negated [n] (bs: [n]bool) = (map not bs, i32.sum (map i32.bool bs), i64.sum (map i64.bool (map not bs)))
entry parity [n] (xs: [n]i32) =
  let odd = map (\x -> x % 2 != 0) xs
  in (not (reduce (!=) false odd), odd)
