-- The last next value, or none: it is chosen when the next value has been made already.
-- done: next value of cur
-- refused: (4) copy of last1: either passes on x
-- refused: (3) copy of xs: it is a parameter
entry main [n] (steps : i64) (w : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) = replicate [n] 0
  let (y : [n]i64) = copy xs
  let (last1 : [n]i64) (cur1 : [n]i64) =
    loop (last : [n]i64) = x, (cur : [n]i64) = y for i < steps do
      let (next : [n]i64) = kernel j < n do
        let (e : i64) = cur[j]
        let (e1 : i64) = e * 3 + i
        in (e1)
      let (c : bool) = i == w
      let (either : [n]i64) = if c then in (next) else in (x)
      in (either, next)
  in (last1)
