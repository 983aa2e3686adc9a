-- A size gets a name outside of the expression whose variables it was computed with.
-- ==
-- entry: main
-- input { [1, 2] } output { [[1, 1, 1, 1], [2, 2, 2, 2]] }
-- input { empty([0]i32) } output { empty([0][4]i32) }

-- ==
-- entry: halves
-- input { [1, 2] } output { [2i64, 2i64] }
-- input { empty([0]i32) } output { empty([0]i64) }

def four = 4i64

entry main [n] (xs: [n]i32) =
  let ys = tabulate four (+ 1)
  let [m] (_: [m]i64) = let zs = ys in drop (four % length zs) zs
  in map (\x -> rep x : [m]i32) xs

entry halves [n] (_: [n]i32) : [n]i64 =
  let [m] (_: [m]i64) = let k = n / 2 in iota (k + 1)
  in map (\_ -> m) (replicate n (rep 1 : [m]i64))
