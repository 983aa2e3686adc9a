-- T-CONSUME-USED: inside a kernel, too
entry f (n : i64) -> (r : i64) =
  let (y : [n]i64) = kernel i < n do
    let (a : [4]i64) = iota [4] 0 1
    let (b : [4]i64) = a with [0] = i
    let (e : i64) = a[0]
    in (e)
  in (n)
