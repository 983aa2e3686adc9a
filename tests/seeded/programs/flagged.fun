-- A sum without a neutral element: flags say which values there are.
entry main [n] (xs : [n]i64) -> (some : bool) (sum : i64) =
  let (f : bool) (s : i64) =
    kernel j < n reduce comm (\ (f1 : bool) (x1 : i64) (f2 : bool) (x2 : i64) ->
      let (f3 : bool) = f1 || f2
      let (x3 : i64) =
        if f1 then
          let (both : i64) =
            if f2 then
              let (t : i64) = x1 + x2
              in (t)
            else
              in (x1)
          in (both)
        else
          in (x2)
      in (f3, x3)) (false, 0) do
      let (there : bool) = true
      let (x : i64) = xs[j]
      in (there, x)
  in (f, s)
