-- (4) What a thread copies besides it is written, and read, even if its first result stays there.
-- done: result of a thread of a, copy of y, copy of z
-- refused: (4) update of b: y y1 writes y1
-- refused: (3) result of a thread of v: v is a slice
entry main [m] (x : [4][m]i32) -> (ys : [4][m]i32) (zs : [4][m]i32) =
  let (b : [m]i32) = replicate [m] 5i32
  let (y : [4][m]i32) (y1 : [4][m]i32) = kernel i < 4 do
    let (a : [m]i32) = replicate [m] 7i32
    let (v : [m]i32) = x[i, 0 : m]
    in (a, v)
  let (z : [4][m]i32) = y1 with [0, 0 : m] = b
  in (y, z)
