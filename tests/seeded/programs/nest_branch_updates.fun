-- The work may not leave the branch: it updates an array that the other branch reads.
entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (a : [3]i64) = replicate [3] i
    let (c : bool) = i == 0
    let (t : i64) = if c then
      let (x : i64) = a[0]
      in (x)
    else
      let (b : [3]i64) = loop (h : *[3]i64) = a for k < 3 do
        let (g : [3]i64) = h with [k] = 7
        in (g)
      let (y : i64) = b[1]
      in (y)
    in (t)
  in (s)
