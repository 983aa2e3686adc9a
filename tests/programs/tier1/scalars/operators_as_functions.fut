-- `(T.op)` is the operator at type T, passed, partially applied or written infix.
-- ==
-- entry: folds
-- input { [1, 2, 3, 4] } output { 10 24 4 true }
-- input { empty([0]i32) } output { 0 1 0 false }

-- ==
-- entry: infix
-- input { 7 3 } output { 10 4 21 2 1 4 7 3 343 }

-- ==
-- entry: compare
-- input { 2f32 3f32 } output { true false true true false false }

-- ==
-- entry: bools
-- input { [true, true, false] } output { false true }

entry folds [n] (xs: [n]i32) =
  (reduce (i32.+) 0 xs, reduce (i32.*) 1 xs, reduce (i32.^) 0 xs, reduce (||) false (map (i32.> 3) xs))
entry infix (x: i32) (y: i32) =
  (x i32.+ y, x i32.- y, x i32.* y, x i32./ y, x i32.% y, x i32.^ y, x i32.| y, x i32.& y, (i32.**) x y)
entry compare (x: f32) (y: f32) = (x f32.< y, x f32.> y, x f32.<= y, x f32.!= y, x f32.== y, x f32.>= y)
entry bools [n] (xs: [n]bool) = (reduce (&&) true xs, reduce (||) false xs)
