-- The diagonal of a matrix, as a vector: a thread reads the element that it writes.
-- done: update of d
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[n*n]i32) -> (zs : [n*n]i32) =
  let (old : [n]i32) = flat xs[0 + {(n : n + 1)}]
  let (d : [n]i32) = kernel i < n do
    let (x : i32) = old[i]
    let (y : i32) = x * 2i32
    in (y)
  let (z : [n*n]i32) = xs with flat [0 + {(n : n + 1)}] = d
  in (z)
