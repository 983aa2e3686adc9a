-- A thread copies a row, changes the copy, and that is the row: nothing is copied at all.
-- done: update of rows, result of a thread of r1
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] (xs : *[n][2]i32) -> (zs : [n][2]i32) =
  let (rows : [n][2]i32) = kernel i < n do
    let (r0 : [2]i32) = xs[i, 0 : 2]
    let (r : [2]i32) = copy r0
    let (r1 : [2]i32) = r with [0] = 5i32
    in (r1)
  let (z : [n][2]i32) = xs with [0 : n, 0 : 2] = rows
  in (z)
