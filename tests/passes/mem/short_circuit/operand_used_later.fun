-- The array from which a thread makes its row is used again, and so must not lie there.
-- done: copy of out, result of a thread of z
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (t : i32) = u + 1i32
      in (t)
    let (first : i32) = b[0]
    let (z : [k]i32) = y with [0] = first
    in (z)
  in (out)
