-- The pieces of a stencil: interior and edges are computed apart, and put together for nothing.
-- done: copy of z, concat of top, concat of rest, concat of middle, concat of bottom
entry main [n] (xs : [n + 2]f32) (us : [n]i32) -> (zs : [n + 2]f32) =
  let (t : f32) = xs[0]
  let (top : [1]f32) = [t] : f32
  let (middle : [n]f32) = kernel i < n do
    let (a : f32) = xs[i]
    let (b : f32) = xs[i + 2]
    let (c : f32) = a + b
    in (c)
  let (u : f32) = xs[n + 1]
  let (bottom : [1]f32) = [u] : f32
  let (rest : [n + 1]f32) = concat 0 middle bottom
  let (z : [n + 2]f32) = concat 0 top rest
  in (z)
