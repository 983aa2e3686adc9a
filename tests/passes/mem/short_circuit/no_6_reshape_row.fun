-- (6) A thread's row may have fewer elements than the thread writes.
-- done: copy of rows
-- refused: (6) result of a thread of b: a different number of elements
entry main [n] (xs : [n]i32) -> (zs : [2][n]i32) =
  let (rows : [2][n]i32) = kernel i < 2 do
    let (a : [2][2]i32) = replicate [2][2] 7i32
    let (b : [n]i32) = reshape [n] a
    in (b)
  in (rows)
