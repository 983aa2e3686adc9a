-- Through a transposition, a reversal, a reshape and a slice of everything, backwards.
-- done: copy of z, update of d, copy of c2
entry main [n] [m] (xs : [n][m]i32) -> (zs : [m*n + 1]i32) =
  let (whole : [m*n + 1]i32) = replicate [m*n + 1] 9i32
  let (a : [n][m]i32) = kernel i < n, j < m do
    let (x : i32) = xs[i, j]
    let (y : i32) = x - 1i32
    in (y)
  let (b : [m][n]i32) = permute (1, 0) a
  let (b2 : [m][n]i32) = reverse 1 b
  let (b3 : [m][n]i32) = b2[m - 1 : m : -1, n - 1 : n : -1]
  let (c : [m][n]i32) = reverse 1 b3
  let (c2 : [m][n]i32) = c[m - 1 : m : -1, 0 : n]
  let (d : [m*n]i32) = reshape [m*n] c2
  let (z : [m*n + 1]i32) = whole with [1 : m*n] = d
  in (z)
