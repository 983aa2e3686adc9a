-- Library-like polymorphic functions with function parameters compose at unrelated types.
-- ==
-- input { [3, 1, 2] } output { 1i64 1 }
-- input { [5] } output { 0i64 5 }
-- input { [2, 1, 1] } output { 1i64 1 }

-- The position and the value of the least element, the first of equals.
def least_by 'a 'k [n] (key: a -> k) (less: k -> k -> bool) (worst: a) (xs: [n]a) : (i64, a) =
  let pick (i, x) (j, y) =
    if i < 0 then (j, y)
    else if j < 0 then (i, x)
    else if less (key y) (key x) || (!less (key x) (key y) && j < i) then (j, y) else (i, x)
  in reduce pick (-1, worst) (zip (iota n) xs)

def main [n] (xs: [n]i32) : (i64, i32) = least_by id (<) 0 xs

-- ==
-- entry: by_distance
-- input { 5.0 [1.0, 4.5, 7.0] } output { 1i64 4.5 }
-- input { -5.0 [1.0, 4.5, 7.0] } output { 0i64 1.0 }

entry by_distance [n] (at: f64) (xs: [n]f64) : (i64, f64) =
  least_by (\x -> f64.abs (x - at)) (<) 0 xs

-- ==
-- entry: by_second_field
-- input { [1, 2, 3] [9, 7, 8] } output { 2 7 }

entry by_second_field [n] (xs: [n]i32) (ys: [n]i32) : (i32, i32) =
  let (_, r) = least_by (.y) (<) {x = 0, y = 0} (map2 (\x y -> {x, y}) xs ys)
  in (r.x, r.y)
