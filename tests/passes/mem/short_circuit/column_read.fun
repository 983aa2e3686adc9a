-- The piece is seen as a vector, too, which it cannot be where its rows are further apart.
-- done: copy of z, concat of b
-- refused: (3) concat of a: line has no index function
entry main [n] [m] (xs : [n][m]i32) -> (zs : [n][2*m]i32) (o : i32) =
  let (a : [n][m]i32) = kernel i < n, j < m do
    let (x : i32) = xs[i, j]
    let (y : i32) = x + 1i32
    in (y)
  let (line : [m*n]i32) = reshape [m*n] a
  let (e : i32) = kernel k < m*n reduce (\(p : i32) (q : i32) -> let (r : i32) = p * 3i32 + q in (r)) (0i32) do
    let (v : i32) = line[k]
    in (v)
  let (b : [n][m]i32) = replicate [n][m] 8i32
  let (z : [n][2*m]i32) = concat 1 a b
  in (z, e)
