-- (3) Where the piece goes is computed from the piece.
-- done: copy of z
-- refused: (3) update of b: b would need e, which is bound later
entry main [n] (xs : [n]i64) -> (zs : [n + 3]i64) =
  let (whole : [n + 3]i64) = replicate [n + 3] 1
  let (b : [2]i64) = kernel i < 2 do
    let (y : i64) = i + n
    in (y)
  let (e : i64) = b[0]
  let (at : i64) = e / 2
  let (z : [n + 3]i64) = whole with [at : 2] = b
  in (z)
