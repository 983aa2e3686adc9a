-- Kernels over rows of varying length.
entry f [n] [m] (offs : [n]i64) (xs : [m]f32) -> (r : [n - 1]f32) (q : [m]f32) (p : [m]i64) =
  let (sums : [n - 1]f32) (twice : [m]f32) =
    kernel i < n - 1, k in offs : m reduce (\ (a : f32) (b : f32) ->
      let (weight : f32) = f32(i)
      let (c : f32) = a + b
      in (c)) (0.0f32) do
    let (x : f32) = xs[k]
    let (y : f32) = x + x
    in (x, y)
  let (prefix : [m]f32) = kernel i2 < n - 1, k2 in offs : m scan (\ (a2 : f32) (b2 : f32) ->
    let (c2 : f32) = a2 + b2
    in (c2)) (0.0f32) do
    let (x2 : f32) = twice[k2]
    in (x2)
  let (places : [m]i64) = kernel i3 < n - 1, k3 in offs : m do
    let (start : i64) = offs[i3]
    let (place : i64) = k3 - start
    in (place)
  in (sums, prefix, places)
