-- What a loop writes of each row, flat, is the row's first half: the second halves may be built in
-- the meantime.
-- done: update of second, update of half
-- refused: (5) copy of z: it is a parameter of the entry point
entry main (n : i64) (m : i64) (xs : *[2*n*m]i32) -> (zs : [2*n*m]i32) =
  let (second : [n][m]i32) = replicate [n][m] 4i32
  let (x1 : [2*n*m]i32) = loop (x : *[2*n*m]i32) = xs for i < n do
    let (half : [m]i32) = replicate [m] 3i32
    let (x2 : [2*n*m]i32) = x with flat [2*i*m + {(m : 1)}] = half
    in (x2)
  let (z : [2*n*m]i32) = x1 with flat [m + {(n : 2*m) (m : 1)}] = second
  in (z)
