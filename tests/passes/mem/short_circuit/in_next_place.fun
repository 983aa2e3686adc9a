-- A thread reads what the one before it would write: no earlier thread does, but a later one.
-- refused: (4) update of b: x reads xs
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[n + 1]i32) -> (zs : [n + 1]i32) =
  let (b : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    in (x)
  let (z : [n + 1]i32) = xs with [1 : n] = b
  in (z)
