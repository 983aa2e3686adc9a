-- A while loop in a kernel; how often it iterates differs from thread to thread.
entry main [n] (k : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (go0 : bool) = x > 0i32
    let (last : [k]i32) (left : i32) (going : bool) =
      loop (b : [k]i32) = a, (l : i32) = x, (go : bool) = go0 while go do
        let (c : [k]i32) = kernel j < k do
          let (u : i32) = b[j]
          let (w : i32) = u * 2i32 + l
          in (w)
        let (l2 : i32) = l - 1i32
        let (go2 : bool) = l2 > 0i32
        in (c, l2, go2)
    in (last)
  in (out)
