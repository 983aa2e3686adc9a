-- The size of a thread's array is read from an array; a negative one traps in its own thread.
entry main [n] (lens : [n]i64) (d : i64) -> (r : [n]i64) =
  let (out : [n]i64) = kernel i < n do
    let (len : i64) = lens[i]
    let (size : i64) = len - d
    let (a : [size]i64) = iota [size] i 1
    let (sum : i64) = loop (s : i64) = 0 for j < size do
      let (x : i64) = a[j]
      let (s2 : i64) = s + x
      in (s2)
    in (sum)
  in (out)
