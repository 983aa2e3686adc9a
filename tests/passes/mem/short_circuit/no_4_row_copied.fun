-- (4) A thread copies rows of another array when its own row has been written already.
-- done: copy of y1, copy of z
-- refused: (4) update of y: y y1 reads v
-- refused: (3) result of a thread of a: a is a slice
-- refused: (3) result of a thread of v: v is a slice
entry main [n] [m] (xs : [n][m]i32) -> (ys : [n][m]i32) (zs : [2*n][m]i32) =
  let (x : [2*n][m]i32) = replicate [2*n][m] 5i32
  let (y : [n][m]i32) (y1 : [n][m]i32) = kernel i < n do
    let (a : [m]i32) = xs[i, 0 : m]
    let (v : [m]i32) = x[i, 0 : m]
    in (a, v)
  let (z : [2*n][m]i32) = x with [0 : n, 0 : m] = y
  in (y1, z)
