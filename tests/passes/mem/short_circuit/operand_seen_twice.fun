-- The array from which a thread makes its row is seen through a view as well, backwards.
-- done: copy of out, result of a thread of y
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (v : [k]i32) = reverse 0 b
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (w : i32) = v[l]
      let (t : i32) = u - w
      in (t)
    in (y)
  in (out)
