-- Reductions inside maps: rows, columns, both, and over computed elements.
-- ==
-- entry: rows_and_columns
-- input { [[1, 2, 3], [4, 5, 6]] } output { [6, 15] [5, 7, 9] 21 }
-- input { empty([0][2]i32) } output { empty([0]i32) [0, 0] 0 }
-- input { empty([2][0]i32) } output { [0, 0] empty([0]i32) 0 }

-- ==
-- entry: distances
-- input { [[0.0, 0.0], [3.0, 4.0]] } output { [[0.0, 5.0], [5.0, 0.0]] }
-- input { [[1.0]] } output { [[0.0]] }

-- ==
-- entry: nearest
-- input { [1f32, 5f32, 9f32] [0f32, 6f32] } output { [0i64, 1i64, 1i64] }
-- input { empty([0]f32) [0f32] } output { empty([0]i64) }

-- ==
-- entry: divisors
-- input { 6i64 } output { [0i64, 1i64, 2i64, 2i64, 3i64, 2i64] }

entry rows_and_columns [n] [m] (xss: [n][m]i32) =
  let rows = map (reduce (+) 0) xss
  in (rows, map i32.sum (transpose xss), i32.sum rows)
entry distances [n] [d] (ps: [n][d]f64) =
  map (\p -> map (\q -> map2 (-) p q |> map (** 2) |> f64.sum |> f64.sqrt) ps) ps
entry nearest [n] [k] (xs: [n]f32) (centres: [k]f32) =
  let closest x =
    reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (f32.inf, -1)
           (map2 (\c i -> (f32.abs (x - c), i)) centres (iota k))
  in map (\x -> (closest x).1) xs
entry divisors (n: i64) =
  map (\i -> i64.sum (map (\d -> i64.bool (i % (d + 1) == 0 && d < i)) (iota n))) (iota n)
