-- Without iterations the loop hands on what was never written, and the read of it traps.
entry main (k : i64) -> (r : i64) =
  let (s : [3]i64) = scratch [3]i64
  let (t : [3]i64) = loop (x : [3]i64) = s for i < k do
    let (y : [3]i64) = iota [3] 0 1
    in (y)
  let (v : i64) = t[0]
  in (7)
