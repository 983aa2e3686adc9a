-- Indices are exact: what wraps on the way to a name is not undone in one.
entry main [n] [m] (xs : [n]i64) (us : [m]i64) -> (r : [n]i64) (q : [m]i64) =
  let (as : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (a : i64) = x * x
    in (a)
  let (bs : [n]i64) = kernel j < n do
    let (far : i64) = j * 4611686018427387904
    let (b : i64) = as[far - 4611686018427387904 * j + j]
    in (b)
  let (cs : [m]i64) = kernel k < m do
    let (u : i64) = us[k]
    let (c : i64) = u * u
    in (c)
  let (ds : [m]i64) = kernel l < m do
    let (past : i64) = l + 9223372036854775807
    let (d : i64) = cs[past - 9223372036854775807]
    in (d)
  in (bs, ds)
