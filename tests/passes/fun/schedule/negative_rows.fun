-- (S1) The rows of a mapped result may have a negative size, on which the first iteration traps;
-- but it divides before that.
entry within (m : i64) (p : i64) (z : i64) -> (r : [3]i64) =
  let (s : [3]i64) = kernel i < 3 do
    let (t : i64) (w : [m][p]i64) = kernel j < m reduce (\ (a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      let (d : i64) = j / z
      let (q : [p]i64) = replicate [p] d
      in (d, q)
    let (last : [m][p]i64) = reverse 0 w
    let (flat1 : [m * p]i64) = reshape [m * p] last
    let (u : i64) = kernel l < m * p reduce (\ (a1 : i64) (b1 : i64) ->
      let (c1 : i64) = 3 * a1 + b1
      in (c1)) (0) do
      let (v : i64) = flat1[l]
      in (v)
    let (x : i64) = 100 * t + u
    in (x)
  in (s)

entry outer [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][3]i64) (w : [n][3][k]i64) =
  let (s : [n][3]i64) (t : [n][3][p]i64) = kernel i < n, j < 3 scan (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    let (d : i64) = (x + j) / z
    let (q : [p]i64) = replicate [p] d
    in (x, q)
  in (p, s, t)

entry counted [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][2]i64) (w : [n][3][k]i64) =
  let (h : [n][2]i64) = replicate [n][2] 7
  let (s : [n][2]i64) (t : [n][3][p]i64) = kernel i < n, j < 3 hist (h)
    (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    let (d : i64) = (x + j) / z
    let (q : [p]i64) = replicate [p] d
    in (d, x, q)
  in (p, s, t)
