entry main [n] (a : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) =
    kernel i < n do
      let (first : bool) = i == 0
      let (v1 : i64) = a[i]
      let (y : i64) =
        if first then
          in (0)
        else
          in (v1)
      in (y)
  in (x)
