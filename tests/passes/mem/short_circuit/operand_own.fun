-- Both arrays are a thread's own: it makes no difference which one it has.
-- done: copy of out
entry main [n] [k] (xs : [n][k]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (b : [k]i32) = kernel j < k do
      let (x : i32) = xs[i, k - 1 - j]
      let (s : i32) = x * 2i32
      in (s)
    let (first : i32) = b[0]
    let (y : [k]i32) = kernel l < k do
      let (u : i32) = b[l]
      let (t : i32) = u + first
      in (t)
    let (e : i32) = y[k - 1]
    let (f : i32) = y[0]
    let (g : i32) = e * f
    in (g)
  in (out)
