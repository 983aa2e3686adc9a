-- A histogram's operator exchanges its operands, which lie where its results must not be put.
entry main [n] (xs : [n]i64) (ys : *[3][2]i64) (zs : *[3][2]i64) -> (r : [3][2]i64) (q : [3][2]i64) =
  let (z : [2]i64) = replicate [2] 0
  let (s : [3][2]i64) (t : [3][2]i64) = kernel i < n hist (ys, zs)
    (\ (a : [2]i64) (b : [2]i64) (c : [2]i64) (d : [2]i64) ->
    let (back : [2]i64) = reverse 0 a
    in (b, back)) (z, z) do
    let (k : i64) = xs[i]
    let (many : [k]i64) = replicate [k] k
    let (row : [2]i64) = many[0 : 2 : 0]
    in (k, row, row)
  in (s, t)
