-- PageRank over the links that lead to each page, in compressed rows.
-- ==
-- input { 3 [2i64, 1i64, 1i64] [0i64, 1i64, 2i64, 4i64] [2i64, 0i64, 0i64, 1i64] }
-- output { [0.3513958333333333f64, 0.24284375f64, 0.4057604166666667f64] }
-- input { 0 [1i64] [0i64, 1i64] [0i64] }
-- output { [1.0f64] }

entry main [n] [e] (steps: i32) (degree: [n]i64) (start: [n + 1]i64) (source: [e]i64) : [n]f64 =
  let damping = 0.85
  let initial = replicate n (1 / f64.i64 n)
  in loop rank = initial for _t < steps do
       let share = map2 (\r d -> r / f64.i64 d) rank degree
       let incoming v = loop sum = 0 for k in start[v]..<start[v + 1] do sum + share[source[k]]
       in map (\v -> (1 - damping) / f64.i64 n + damping * incoming v) (iota n)
