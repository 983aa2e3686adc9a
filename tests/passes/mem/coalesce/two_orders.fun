-- Two kernels want two orders of one array: each has its copy.
-- done: xs: k*m -> 0 + {(n : 1) (m : k*n) (k : n)}
-- done: xs: k -> 0 + {(n : m) (m : 1) (k : m*n)}
entry main [n] [m] [k] (xs : [n][m][k]i32) -> (as : [n]i32) (bs : [n][m]i32) =
  let (a : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (row : i32) = loop (t : i32) = s for l < k do
        let (x : i32) = xs[i, j, l]
        let (t1 : i32) = t * 3i32 + x
        in (t1)
      in (row)
    in (sum)
  let (b : [n][m]i32) = kernel p < n, q < m do
    let (total : i32) = loop (u : i32) = 0i32 for r < k do
      let (y : i32) = xs[p, q, r]
      let (u1 : i32) = u * 5i32 + y
      in (u1)
    in (total)
  in (a, b)
