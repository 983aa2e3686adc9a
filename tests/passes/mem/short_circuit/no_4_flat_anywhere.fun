-- (4) A loop writes a part of the destination of which it is not known where it is.
-- refused: (4) update of d: writes x
-- refused: (5) copy of z: it is a parameter of the entry point
-- refused: (6) update of two: may have one address
entry main [k] (n : i64) (xs : *[n*n]i32) (where : [k]i64) -> (zs : [n*n]i32) =
  let (d : [n]i32) = iota [n] 7i32 1i32
  let (x1 : [n*n]i32) = loop (x : *[n*n]i32) = xs for i < k do
    let (w : i64) = where[i]
    let (two : [2]i32) = replicate [2] 5i32
    let (x2 : [n*n]i32) = x with flat [w + {(2 : n)}] = two
    in (x2)
  let (z : [n*n]i32) = x1 with flat [0 + {(n : n + 1)}] = d
  in (z)
