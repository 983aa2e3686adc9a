-- Nobody uses v, but it was never written.
entry main [n] (a : [n]i32) -> (r : i64) =
  let (x : [n]i32) = scratch [n]i32
  let (y : [n]i32) = kernel i < n do
    let (v : i32) = x[i]
    in (v)
  in (n)
