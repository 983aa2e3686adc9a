-- Unique parameters in tuples, and results that take their place.
-- ==
-- input { [1, 2, 3] [4, 5, 6] } output { [5i32, 6i32, 1i32] [0i32, 0i32, 0i32] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def step [n] ((xs, ys): (*[n]i32, *[n]i32)) (i: i64) : (*[n]i32, *[n]i32) =
  (xs with [i] = ys[i] + 1, ys with [n - 1 - i] = 0)
entry main [n] (xs: *[n]i32) (ys: *[n]i32) : ([n]i32, [n]i32) =
  loop (xs, ys) = (xs, ys) for i < n do step (xs, ys) i
