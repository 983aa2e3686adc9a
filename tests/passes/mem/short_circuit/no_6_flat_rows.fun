-- (6) The rows of the LMAD may be longer than they are apart, on which the update traps.
-- done: copy of z
-- refused: (6) update of b: may have one address
entry main [n] (apart : i64) (xs : [n]i32) -> (zs : [n + apart + 2]i32) =
  let (ok : bool) = 1 <= apart
  assert ok "there are two rows"
  let (whole : [n + apart + 2]i32) = replicate [n + apart + 2] 1i32
  let (b : [2][2]i32) = replicate [2][2] 7i32
  let (z : [n + apart + 2]i32) = whole with flat [0 + {(2 : apart) (2 : 1)}] = b
  in (z)
