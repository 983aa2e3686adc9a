-- (4) Other threads read what a thread would write: the next element of the diagonal.
-- refused: (4) update of d: y reads xs
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[(n + 1)*(n + 1)]i32) -> (zs : [(n + 1)*(n + 1)]i32) =
  let (d : [n]i32) = kernel i < n do
    let (x : i32) = xs[i*(n + 2)]
    let (y : i32) = xs[(i + 1)*(n + 2)]
    let (s : i32) = x + y
    in (s)
  let (z : [(n + 1)*(n + 1)]i32) = xs with flat [0 + {(n : n + 2)}] = d
  in (z)
