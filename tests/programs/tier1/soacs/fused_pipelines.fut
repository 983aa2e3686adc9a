-- Chains of map, scan and reduce, as one writes them, give what the steps give one by one.
-- ==
-- entry: variance
-- input { [1.0, 2.0, 3.0, 4.0] } output { 1.25 }
-- input { [5.0] } output { 0.0 }

-- ==
-- entry: max_segment_sum
-- input { [1, -2, 3, 4, -1, 2, 1, -5, 4] } output { 9 }
-- input { [-1, -2] } output { 0 }
-- input { empty([0]i32) } output { 0 }

-- ==
-- entry: both_uses
-- input { [1, 2, 3] } output { [1, 4, 9] 14 [1, 5, 14] 9 }
-- input { empty([0]i32) } output { empty([0]i32) 0 empty([0]i32) -2147483648 }

-- ==
-- entry: integral
-- input { 1000i64 } output { 0.3333335 }

entry variance [n] (xs: [n]f64) =
  let mean = f64.sum xs / f64.i64 n
  in xs |> map (\x -> x - mean) |> map (** 2) |> reduce (+) 0 |> (/ f64.i64 n)
entry max_segment_sum [n] (xs: [n]i32) =
  let prefixes = scan (+) 0 xs
  let lowest = scan i32.min 0 prefixes
  in reduce i32.max 0 (map2 (-) prefixes (map2 i32.min lowest (map2 (-) prefixes xs)))
entry both_uses [n] (xs: [n]i32) =
  let ys = map (\x -> x * x) xs
  in (ys, reduce (+) 0 ys, scan (+) 0 ys, reduce i32.max i32.lowest ys)
entry integral (n: i64) =
  iota n |> map (\i -> (f64.i64 i + 0.5) / f64.i64 n) |> map (\x -> x * x) |> reduce (+) 0 |> (* (1 / f64.i64 n))
