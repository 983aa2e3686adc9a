-- An array in the place of an argument stays there: it has no block of its own in each thread.
-- done: update of b
entry main [n] (xs : [n]i32) (zs : *[n]i32) -> (r : i32) (q : i32) =
  let (b : [n]i32) = kernel j < n do
    let (x : i32) = xs[n - 1 - j]
    let (s : i32) = x * 2i32
    in (s)
  let (z : [n]i32) = zs with [0 : n] = b
  let (z0 : i32) = z[n - 1]
  let (y : [n]i32) = kernel l < n do
    let (u : i32) = b[l]
    let (t : i32) = u + z0
    in (t)
  let (y0 : i32) = y[n - 1]
  in (z0, y0)
