-- (4) Other threads read what a thread would write.
-- refused: (4) update of b: y reads xs
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[n + 1]i32) -> (zs : [n + 1]i32) =
  let (b : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = xs[i + 1]
    let (s : i32) = x + y
    in (s)
  let (z : [n + 1]i32) = xs with [0 : n] = b
  in (z)
