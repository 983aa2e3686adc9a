-- Type ascriptions on expressions, parameters, results, function types, and unannotated definitions.
-- ==
-- entry: inferred
-- input { 3 } output { 16 }

-- ==
-- entry: ascribed
-- input { [1i64, 2i64] } output { [1.5, 3.0] 3i64 }
-- input { empty([0]i64) } output { empty([0]f64) 0i64 }

-- ==
-- entry: typed_lambda
-- input { [1f32, -2f32] } output { [false, true] [3f32, 0f32] }

def bump x = x + 1
def four_times (x: i32) : i32 = bump (bump (bump (bump x)))
entry inferred (x: i32) = (bump x : i32) * four_times 0

entry ascribed [n] (xs: [n]i64) : ([n]f64, i64) =
  let ys = map (\x -> f64.i64 x * (1.5 : f64)) xs : [n]f64
  in (ys : [n]f64, (i64.sum : [n]i64 -> i64) xs)

entry typed_lambda [n] (xs: [n]f32) : ([n]bool, []f32) =
  (map (\(x: f32) : bool -> x < 0) xs, map (+ (2 : f32)) xs)
