-- Threads of a kernel with two dimensions; the size of a thread's array is a sum.
entry main [n] [m] (k : i64) (xs : [n][m]i32) -> (r : [n][m]i32) =
  let (out : [n][m]i32) = kernel i < n, j < m do
    let (x : i32) = xs[i, j]
    let (a : [k + 1]i32) = iota [k + 1] x 1i32
    let (b : [k + 1]i32) = a with [0] = 9i32
    let (sum : i32) = loop (s : i32) = 0i32 for l < k + 1 do
      let (y : i32) = b[l]
      let (s2 : i32) = s * 7i32 + y
      in (s2)
    in (sum)
  in (out)
