-- k is n, but only simplify knows it; then the reshape could as well keep the outer dimension.
entry main [n] [m] (a : [n][m]i32) (c : bool) -> (r : i32) =
  let (k : i64) = n
  let (l : i64) = m * 1
  let (b : [n][l]i32) = reshape [n][l] a
  let (l2 : i64) = min(l, 100)
  let (z : [k][l2]i32) = if c then
      let (x : [k][l2]i32) = reshape [k][l2] a
      in (x)
    else
      let (y : [k][l2]i32) = reshape [k][l2] b
      let (y2 : [k][l2]i32) = copy y
      in (y2)
  let (w : [k * l2]i32) = reshape [k * l2] z
  let (v : i32) = z[0, 0]
  let (v2 : i32) = w[0]
  let (s : i32) = v + v2
  in (s)
