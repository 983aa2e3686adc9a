entry f [n] (xs : [n]f32) (k : i64) -> (rs : [n]f32) (q : f32) =
  let (ys : [n]f32) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (y : f32) (z : i64) = call weigh (x, k) foreign
      in (y)
  let (t : bool) = call note (false, k) effect
  let (u : bool) =
    loop (v : bool) = t for j < k do
      let (w : bool) = call note (v, j) effect
      in (w)
  let (e : bool) (s : f32) = call ask (u) effect
  in (ys, s)
