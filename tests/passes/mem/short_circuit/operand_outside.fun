-- What no thread makes may have a block of its own.
-- done: update of y
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] (xs : [n]i32) (zs : *[n]i32) -> (r : [n]i32) =
  let (b : [n]i32) = kernel j < n do
    let (x : i32) = xs[n - 1 - j]
    let (s : i32) = x * 2i32
    in (s)
  let (first : i32) = b[0]
  let (y : [n]i32) = kernel l < n do
    let (u : i32) = b[l]
    let (t : i32) = u + first
    in (t)
  let (z : [n]i32) = zs with [0 : n] = y
  in (z)
