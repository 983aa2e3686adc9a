-- The element that one branch reads is read again after it.
entry main [n] (a : [n]i32) (k : i64) -> (p : i32) (q : i32) =
  let (c : bool) = k > 2
  let (p1 : i32) =
    if c then
      let (v : i32) = a[k]
      in (v)
    else
      in (0i32)
  let (q1 : i32) = a[k]
  in (p1, q1)
