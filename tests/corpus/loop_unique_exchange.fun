-- Two parameters that are updated in place are exchanged in each iteration.
entry main [n] (x : *[n]i32) (y : *[n]i32) -> (r : [n]i32) (s : [n]i32) =
  let (z : [n]i32) (w : [n]i32) = loop (a : *[n]i32) = x, (b : *[n]i32) = y for i < n do
    let (v : i32) = a[i]
    let (c : [n]i32) = b with [i] = v
    in (c, a)
  in (z, w)

entry inside [n] (k : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (e : i32) = xs[i]
    let (x : [k]i32) = replicate [k] e
    let (y : [k]i32) = iota [k] e 1i32
    let (z : [k]i32) (w : [k]i32) = loop (a : *[k]i32) = x, (b : *[k]i32) = y for j < k do
      let (v : i32) = a[j]
      let (c : [k]i32) = b with [j] = v
      in (c, a)
    in (z)
  in (out)
