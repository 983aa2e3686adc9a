-- Parallel steps inside a sequential loop.
-- ==
-- entry: heat
-- input { [0.0, 16.0, 0.0, 0.0] 1 } output { [4.0, 8.0, 4.0, 0.0] }
-- input { [0.0, 16.0, 0.0, 0.0] 0 } output { [0.0, 16.0, 0.0, 0.0] }
-- input { [5.0] 3 } output { [5.0] }

-- ==
-- entry: hillis_steele
-- input { [1, 2, 3, 4, 5] } output { [1, 3, 6, 10, 15] }
-- input { [1] } output { [1] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: life
-- input { [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]] 1 }
-- output { [[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]] }
-- input { [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]] 2 }
-- output { [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]] }

entry heat [n] (xs: [n]f64) (steps: i32) =
  loop xs for _t < steps do
    map (\i -> let l = xs[i64.max 0 (i - 1)]
               let r = xs[i64.min (n - 1) (i + 1)]
               in (l + 2 * xs[i] + r) / 4) (iota n)
entry hillis_steele [n] (xs: [n]i32) =
  (loop (xs, d) = (xs, 1) while d < n do
     (map (\i -> if i < d then xs[i] else xs[i - d] + xs[i]) (iota n), d * 2)).0
entry life [n] [m] (board: [n][m]i32) (steps: i32) =
  let around (b: [n][m]i32) = map2 (map2 (+)) (rotate 1 b) (rotate (-1) b)
  let sideways (b: [n][m]i32) = map (\r -> map2 (+) (rotate 1 r) (rotate (-1) r)) b
  in loop b = board for _i < steps do
       let columns = map2 (map2 (+)) b (around b)
       let counts = map3 (map3 (\v s c -> v + s - c)) columns (sideways columns) b
       in map2 (map2 (\k c -> if k == 3 || k == 2 && c == 1 then 1 else 0)) counts b
