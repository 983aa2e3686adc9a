-- Loops whose parameters are arrays: rebuilt, updated in place, and changing their length.
-- ==
-- entry: bubble
-- input { [3, 1, 2] } output { [1, 2, 3] }
-- input { [5, 4, 3, 2, 1] } output { [1, 2, 3, 4, 5] }
-- input { [1] } output { [1] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: halve
-- input { [1, 2, 3, 4, 5, 6, 7] } output { 3i64 28 }
-- input { empty([0]i32) } output { 0i64 0 }

-- ==
-- entry: step
-- input { [0.0, 0.0, 9.0, 0.0, 0.0] 1 } output { [0.0, 3.0, 3.0, 3.0, 0.0] }
-- input { [0.0, 0.0, 9.0, 0.0, 0.0] 2 } output { [1.0, 2.0, 3.0, 2.0, 1.0] }

entry bubble [n] (xs: [n]i32) =
  loop xs = copy xs for i < n do
    loop xs for j < n - 1 - i do
      if xs[j] <= xs[j + 1] then xs
      else let a = xs[j]
           let xs[j] = xs[j + 1]
           let xs[j + 1] = a
           in xs

entry halve (xs: []i32) =
  let (rounds, xs) =
    loop (rounds, xs) = (0i64, xs) while length xs > 1 do
      let h = length xs / 2
      let low = take h xs
      let high = drop h xs
      in (rounds + 1, map (\i -> high[i] + (if i < h then low[i] else 0)) (iota (length high)))
  in (rounds, i32.sum xs)

entry step [n] (xs: [n]f64) (k: i32) =
  let at (ys: [n]f64) (i: i64) = if i < 0 || i >= n then 0 else ys[i]
  in loop ys = xs for _i < k do map (\i -> (at ys (i - 1) + at ys i + at ys (i + 1)) / 3) (iota n)
