-- The blocks of a loop's temporary arrays shrink from iteration to iteration; one block is enough.
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (sum : i64) = loop (s : i64) = 0 for k < n do
    let (a : [n - k][n - k]i64) = replicate [n - k][n - k] s
    let (x : i64) = a[0, n - k - 1]
    let (s2 : i64) = x + k
    in (s2)
  in (sum)
