-- Elements read through reshapes: of one that adds a dimension of size 1, and of one that does not.
entry main [n] (xs : [n]i64) -> (out : [n]i64) =
  let (squares : [n]i64) = kernel i < n do
    let (s : i64) = i * i
    in (s)
  let (column : [n][1]i64) = reshape [n][1] squares
  let (grid : [n][n + 1]i64) = kernel l < n, k < n + 1 do
    let (a : i64) = l * 10
    let (b : i64) = a + k
    in (b)
  let (other : [n + 1][n]i64) = reshape [n + 1][n] grid
  let (r : [n]i64) = kernel j < n do
    let (x : i64) = xs[j]
    let (c : i64) = column[j, 0]
    let (d : i64) = other[j, j]
    let (e : i64) = x + c
    let (f : i64) = e * 1000 + d
    in (f)
  in (r)
