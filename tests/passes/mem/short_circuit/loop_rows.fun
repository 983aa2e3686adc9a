-- What an earlier iteration made lies in another block, though the same statement has allocated it.
-- done: array literal of b, array literal of c
-- refused: (5) next value of x: b is built in the block of next
-- refused: (5) copy of z: it is a parameter of the entry point
entry main [n] (xs : [2][n]i32) -> (zs : [2][n]i32) =
  let (z : [2][n]i32) = loop (x : [2][n]i32) = xs for t < 3 do
    let (b : [n]i32) = kernel i < n do
      let (v : i32) = x[1, n - 1 - i]
      in (v)
    let (c : [n]i32) = kernel j < n do
      let (u : i32) = x[0, n - 1 - j]
      in (u)
    let (next : [2][n]i32) = [b, c] : [n]i32
    in (next)
  in (z)
