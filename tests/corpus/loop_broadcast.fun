-- A loop starts with one element seen k times: its block is too small to be written as an array.
entry main [n] (k : i64) (steps : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (one : [1]i32) = [x] : i32
    let (many : [k]i32) = one[0 : k : 0]
    let (last : [k]i32) = loop (a : [k]i32) = many for t < steps do
      let (b : [k]i32) = kernel j < k do
        let (u : i32) = a[k - 1 - j]
        let (v : i32) = i32(j)
        let (w : i32) = u * 2i32 + v
        in (w)
      in (b)
    in (last)
  in (out)
