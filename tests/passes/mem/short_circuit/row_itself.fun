-- A thread copies a row, changes the copy, and then reads the row: the copy cannot be the row.
-- done: update of rows
-- refused: (4) result of a thread of r2: v reads xs
-- refused: (1) copy of r0: v uses xs afterwards
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] (xs : *[n][2]i32) -> (zs : [n][2]i32) =
  let (rows : [n][2]i32) = kernel i < n do
    let (r0 : [2]i32) = xs[i, 0 : 2]
    let (r : [2]i32) = copy r0
    let (r1 : [2]i32) = r with [0] = 5i32
    let (v : i32) = xs[i, 0]
    let (r2 : [2]i32) = r1 with [1] = v
    in (r2)
  let (z : [n][2]i32) = xs with [0 : n, 0 : 2] = rows
  in (z)
