-- The size is read at a place that may not exist: no trap if the kernel has no thread.
entry main [n] [m] (lens : [m]i64) (xs : [n]i32) (p : i64) -> (r : [n]i64) =
  let (out : [n]i64) = kernel i < n do
    let (len : i64) = lens[p]
    let (a : [len]i64) = iota [len] i 1
    let (sum : i64) = loop (s : i64) = 0 for j < len do
      let (x : i64) = a[j]
      let (s2 : i64) = s + x
      in (s2)
    in (sum)
  in (out)
