-- (5) The next value is the current one, turned round.
-- done: copy of z
-- refused: (5) update of y: a would be needed at
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (first : [n]i32) = iota [n] 1i32 1i32
  let (y : [n]i32) = loop (a : [n]i32) = first for t < steps do
    let (b : [n]i32) = reverse 0 a
    in (b)
  let (z : [2*n]i32) = whole with [0 : n] = y
  in (z)
