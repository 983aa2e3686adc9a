-- A thread makes its row from larger elements than it has: they do not fit there.
-- done: copy of out, result of a thread of y
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i64) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i64) = i64(x)
      in (s)
    let (first : i64) = b[0]
    let (y : [k]i32) = kernel l < k do
      let (u : i64) = b[l]
      let (t : i64) = u + first
      let (w : i32) = i32(t)
      in (w)
    in (y)
  in (out)
