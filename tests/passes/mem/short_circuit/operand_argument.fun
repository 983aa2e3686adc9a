-- A thread makes its row of an argument from an array of its own, and from one that is elsewhere.
-- done: update of out, result of a thread of y, operand of b
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] [k] (xs : [n][k]i32) (zs : *[n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (first : i32) = b[0]
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (v : i32) = xs[i, l]
      let (w : i32) = u + v
      let (t : i32) = w + first
      in (t)
    in (y)
  let (z : [n][k]i32) = zs with [0 : n, 0 : k] = out
  in (z)
