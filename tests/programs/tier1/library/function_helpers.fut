-- id, const, flip, curry and uncurry, applied and passed on.
-- ==
-- entry: plain
-- input { 7 2 } output { 7 7 -5 14 9 }

-- ==
-- entry: passed
-- input { [1, 2] [10, 20] } output { [1, 2] [5, 5] [9, 18] [11, 22] [10, 40] }
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: scale
-- input { [1f32, 2f32] } output { [0.5f32, 1f32] }

def product (a: i32, b: i32) = a * b
entry plain (a: i32) (b: i32) = (id a, const a b, flip (-) a b, curry product a b, uncurry (+) (a, b))
entry passed [n] (xs: [n]i32) (ys: [n]i32) =
  (map id xs, map (const 5) xs, map2 (flip (-)) xs ys, map (uncurry (+)) (zip xs ys), map2 (curry product) xs ys)
entry scale [n] (xs: [n]f32) = map (flip (/) 2) xs
