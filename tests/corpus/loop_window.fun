-- A loop carries an array and a growing slice of it: neither a buffer nor a swap fits the slice, so
-- the array must not be overwritten either.
entry main [n] (k : i64) (xs : [n]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (none : [0]i32) = a[0 : 0]
    let (l1 : i64) (w1 : [l1]i32) (b1 : [k]i32) =
      loop (l : i64) = 0, (w : [l]i32) = none, (b : [k]i32) = a for t < k do
        let (c : [k]i32) = kernel j < k do
          let (u : i32) = b[k - 1 - j]
          let (v : i32) = u * 2i32 + 1i32
          in (v)
        let (l2 : i64) = t + 1
        let (w2 : [l2]i32) = b[0 : l2]
        in (l2, w2, c)
    let (sum : i32) = loop (s : i32) = 0i32 for m < l1 do
      let (y : i32) = w1[m]
      let (z : i32) = b1[m]
      let (s2 : i32) = s * 7i32 + y * 2i32 + z
      in (s2)
    in (sum)
  in (out)
