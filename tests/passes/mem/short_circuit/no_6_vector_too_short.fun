-- (6) The last row ends behind the vector that is there, perhaps behind its block.
-- done: copy of t
-- refused: (6) update of c: may lie outside
-- refused: (5) copy of z: it is a parameter of the entry point
entry main (n : i64) (m : i64) (xs : *[n*n]i32) -> (zs : [m*m]i32) =
  let (x1 : [m*m]i32) = reshape [m*m] xs
  let (z : [m*m]i32) = loop (x : *[m*m]i32) = x1 for k < m do
    let (v : i32) = x[0]
    let (b : [m]i32) = iota [m] v 1i32
    let (t : [m]i32) = reverse 0 b
    let (c : [m]i32) = copy t
    let (x2 : [m*m]i32) = x with flat [k*m + 1 + {(m : 1)}] = c
    in (x2)
  in (z)
