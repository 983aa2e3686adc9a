-- Another piece, which is built in the destination itself by now, overlaps this one.
-- done: copy of z, update of i
-- refused: (4) update of b: i writes i
entry main [n] (xs : [n]i64) -> (zs : [n + 4]i64) =
  let (whole : [n + 4]i64) = replicate [n + 4] 1
  let (b : [2]i64) = kernel j < 2 do
    let (y : i64) = j + 7
    in (y)
  let (i : [2]i64) = iota [2] 3 1
  let (z1 : [n + 4]i64) = whole with [0 : 2] = i
  let (z : [n + 4]i64) = z1 with [1 : 2] = b
  in (z)
