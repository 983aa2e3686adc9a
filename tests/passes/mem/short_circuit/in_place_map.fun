-- A map over a part of an array, back into that part: every thread reads where it writes.
-- done: update of b
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[2*n]i32) -> (zs : [2*n]i32) =
  let (part : [n]i32) = xs[0 : n : 2]
  let (b : [n]i32) = kernel i < n do
    let (x : i32) = part[i]
    let (y : i32) = x + 1i32
    in (y)
  let (z : [2*n]i32) = xs with [0 : n : 2] = b
  in (z)
