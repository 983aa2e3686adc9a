-- `|>` feeds a value forwards, `<|` applies backwards; both bind below every other operator.
-- ==
-- entry: forward
-- input { [1, 2, 3, 4] } output { 20 }
-- input { [-3] } output { -6 }
-- input { empty([0]i32) } output { 0 }

-- ==
-- entry: backward
-- input { [1, 2, 3, 4] } output { 20 }
-- input { empty([0]i32) } output { 0 }

-- ==
-- entry: mixed
-- input { 3 } output { 10 8 true }

entry forward (xs: []i32) = xs |> map (* 2) |> reduce (+) 0
entry backward (xs: []i32) = reduce (+) 0 <| map (* 2) <| xs
entry mixed (x: i32) =
  ( x * 2 + 1 |> (+ 3)
  , (\f -> f <| x + 1) <| (\y -> y * 2)
  , x > 5 || x < 4 |> \b -> b && true )
