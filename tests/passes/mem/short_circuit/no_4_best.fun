-- (4) The best so far may be the current value, in whose block the next one would be made.
-- refused: (5) copy of best1: the initial value of cur: xs is made elsewhere
-- refused: (5) next value of best: xs is made elsewhere
-- refused: (4) next value of cur: passes on better
entry main [n] (steps : i64) (w : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) = replicate [n] 0
  let (y : [n]i64) = copy xs
  let (best1 : [n]i64) (cur1 : [n]i64) =
    loop (best : [n]i64) = x, (cur : [n]i64) = y for i < steps do
      let (c : bool) = i == w
      let (better : [n]i64) = if c then in (cur) else in (best)
      let (next : [n]i64) = kernel j < n do
        let (e : i64) = cur[j]
        let (e1 : i64) = e * 3 + i
        in (e1)
      in (better, next)
  in (best1)
