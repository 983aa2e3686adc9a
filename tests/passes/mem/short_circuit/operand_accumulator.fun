-- A thread adds an array of its own to its row, in the place of the row: it must not be there, too.
-- done: copy of out, result of a thread of row
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (start : [k]i32) = replicate [k] 1i32
    let (row : [k]i32) = loop (acc : [k]i32) = start for t < 2 do
      let (b : [k]i32) = kernel j < k do
        let (x : i32) = xs[i, k - 1 - j]
        let (s : i32) = x * 2i32
        in (s)
      let (first : i32) = b[0]
      let (y : [k]i32) = kernel l < k do
        let (u : i32) = b[l]
        let (a : i32) = acc[l]
        let (v : i32) = u * first
        let (w : i32) = v + a
        in (w)
      in (y)
    in (row)
  in (out)
