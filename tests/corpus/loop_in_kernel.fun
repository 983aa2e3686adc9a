-- Every iteration of a loop in a kernel makes a new array; the loop may not be entered at all.
entry main [n] (k : i64) (steps : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (last : [k]i32) = loop (b : [k]i32) = a for t < steps do
      let (c : [k]i32) = kernel j < k do
        let (u : i32) = b[k - 1 - j]
        let (v : i32) = b[j]
        let (w : i32) = u * 2i32 + v
        in (w)
      in (c)
    let (d : [k]i32) = reverse 0 last
    in (d)
  in (out)
