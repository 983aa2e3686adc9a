-- A thread makes its row from an array of its own, element by element: both lie in the row.
-- done: copy of out, result of a thread of y, operand of b
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (first : i32) = b[0]
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (t : i32) = u + first
      in (t)
    in (y)
  in (out)
