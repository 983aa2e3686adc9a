-- A thread makes its row from an array of its own, forwards and backwards: where it writes, another
-- element is still read.
-- done: copy of out, result of a thread of y
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (v : i32) = b[k - 1 - l]
      let (w : i32) = u - v
      in (w)
    in (y)
  in (out)
