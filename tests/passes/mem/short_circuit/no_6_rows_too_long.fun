-- (6) The rows that are written may be longer than the array's, on which the update traps; in the
-- block there would be room for them.
-- done: copy of z
-- refused: (6) update of b: may have one address
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [n + 1][2]i32) =
  let (ok : bool) = 0 <= k && k <= 4
  assert ok "not longer than two rows"
  let (whole : [n + 1][2]i32) = replicate [n + 1][2] 1i32
  let (b : [n][k]i32) = kernel i < n, j < k do
    let (v : i32) = i32(i)
    in (v)
  let (z : [n + 1][2]i32) = whole with [0 : n, 0 : k] = b
  in (z)
