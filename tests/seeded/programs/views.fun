-- One element three times: an update changes one of the three.
entry main [n] (a : *[n]i32) -> (r : [3]i32) =
  let (v : [3]i32) = a[0 : 3 : 0]
  let (w : [3]i32) = v with [1] = 9i32
  in (w)
