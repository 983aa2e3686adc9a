-- The size is a quotient: division by zero must not happen if the kernel has no thread.
entry main [n] (xs : [n]i32) (p : i64) (q : i64) -> (r : [n]i64) =
  let (out : [n]i64) = kernel i < n do
    let (len : i64) = p / q
    let (a : [len]i64) = iota [len] i 1
    let (sum : i64) = loop (s : i64) = 0 for j < len do
      let (x : i64) = a[j]
      let (s2 : i64) = s + x
      in (s2)
    in (sum)
  in (out)
