-- (4) What an inner loop hands on is the current value, or another array; the next one follows.
-- refused: (5) copy of last1: the initial value of cur: xs is made elsewhere
-- refused: (5) next value of last: xs is made elsewhere
-- refused: (4) next value of cur: passes on either
entry main [n] (steps : i64) (w : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (x : [n]i64) = replicate [n] 0
  let (y : [n]i64) = copy xs
  let (last1 : [n]i64) (cur1 : [n]i64) =
    loop (last : [n]i64) = x, (cur : [n]i64) = y for i < steps do
      let (either : [n]i64) = loop (z : [n]i64) = cur for k < w do
        in (x)
      let (next : [n]i64) = replicate [n] i
      in (either, next)
  in (last1)
