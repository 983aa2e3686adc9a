-- T-LOOP: the size is a parameter of the loop, so it changes
entry f [n] (x : [n]i64) -> (r : i64) =
  let (m : i64) (y : [n]i64) = loop (k : i64) = n, (a : [k]i64) = x for i < n do
    let (k2 : i64) = k + 1
    let (b : [k + 1]i64) = iota [k + 1] 0 1
    let (c : [k2]i64) = iota [k2] 0 1
    in (k2, c)
  in (n)
