-- Of the two arrays from which a thread makes its row one is there too early, the other one is not.
-- done: update of out, result of a thread of y, operand of d
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] [k] (xs : [n][k]i32) (zs : *[n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (e : i32) = zs[i, k - 1]
    let (d : [k]i32) = kernel h < k do
      let (x1 : i32) = xs[i, k - 1 - h]
      let (s1 : i32) = x1 * e
      in (s1)
    let (first : i32) = d[0]
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (v : i32) = d[l]
      let (w : i32) = u * first
      let (t : i32) = w + v
      in (t)
    in (y)
  let (z : [n][k]i32) = zs with [0 : n, 0 : k] = out
  in (z)
