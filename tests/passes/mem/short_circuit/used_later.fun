-- The copied array is read again, but nothing has been written there in the meantime.
-- done: update of b, update of c
-- refused: (3) copy of z2: it is a parameter of the entry point
entry main [n] (xs : *[2*n]i32) (ys : [n]i32) -> (zs : [2*n]i32) =
  let (b : [n]i32) = kernel i < n do
    let (y : i32) = ys[i]
    let (y2 : i32) = y * 3i32
    in (y2)
  let (z : [2*n]i32) = xs with [0 : n] = b
  let (c : [n]i32) = kernel j < n do
    let (u : i32) = b[n - 1 - j]
    let (v : i32) = u + 1i32
    in (v)
  let (z2 : [2*n]i32) = z with [n : n] = c
  in (z2)
