-- A slice's rows do not overlap, and it is still that slice in the iterations of a loop that updates
-- it.
-- done: update of b
-- refused: (5) copy of z: cannot be undone
entry main [n] (k : i64) (xs : [n]i32) -> (zs : [n][k]i32) (s : i32) =
  let (whole : [n][n]i32) = replicate [n][n] 1i32
  let (v : [n][k]i32) = whole[0 : n, 0 : k]
  let (s0 : i32) (z : [n][k]i32) =
    loop (a : i32) = 1i32, (p : *[n][k]i32) = v for t < 2 do
      let (b : [n][k]i32) = kernel i < n, j < k do
        let (w : i32) = i32(i)
        let (u : i32) = w + a
        in (u)
      let (p1 : [n][k]i32) = p with [0 : n, 0 : k] = b
      let (a1 : i32) = a * 2i32
      in (a1, p1)
  in (z, s0)
