-- The work leaves the branch; the iteration that does not take it keeps its own result.
entry main [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (c : bool) = i == 0
    let (t : i64) = if c then in (1)
    else
      let (last : i64) = loop (h : i64) = 0 for k < 3 do
        let (x : i64) = xs[i]
        let (g : i64) = h + x
        in (g)
      in (last)
    in (t)
  in (s)
