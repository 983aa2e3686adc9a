-- T-SIZE: the number of iterations of a kernel is known outside it
entry f (n : i64) -> (r : i64) =
  let (y : [n][n]i64) = kernel i < n, j < i do in (j)
  in (n)
