-- The initial values of loops are needed in the loop, after it, or are seen elsewhere.
entry main [n] (k : i64) (steps : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (view : [k]i32) = reverse 0 a
    let (b : [k]i32) = iota [k] x 2i32
    let (last : [k]i32) = loop (c : [k]i32) = a for t < steps do
      let (d : [k]i32) = kernel j < k do
        let (u : i32) = c[k - 1 - j]
        let (w : i32) = u * 2i32 + 1i32
        in (w)
      in (d)
    let (more : [k]i32) = loop (e : [k]i32) = b for t2 < steps do
      let (f : [k]i32) = kernel j2 < k do
        let (u2 : i32) = e[j2]
        let (v2 : i32) = b[k - 1 - j2]
        let (w2 : i32) = u2 * 2i32 + v2
        in (w2)
      in (f)
    let (sum : [k]i32) = kernel l < k do
      let (p : i32) = last[l]
      let (q : i32) = view[l]
      let (o : i32) = more[l]
      let (s : i32) = p * 100i32 + q * 10i32 + o
      in (s)
    in (sum)
  in (out)
