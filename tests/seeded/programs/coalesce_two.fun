-- Two matrices of one shape, each read row by row.
entry main [n] [m] (xs : [n][m]i32) (ys : [n][m]i32) -> (as : [n]i32) (bs : [n]i32) =
  let (a : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  let (b : [n]i32) = kernel p < n do
    let (total : i32) = loop (t : i32) = 0i32 for q < m do
      let (y : i32) = ys[p, q]
      let (t1 : i32) = t * 3i32 + y
      in (t1)
    in (total)
  in (a, b)
