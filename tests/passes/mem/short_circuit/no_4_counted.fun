-- (4) The current value is counted in after the next one is made.
-- refused: (4) copy of cur1: counts passes on cur
-- refused: (4) next value of cur: counts passes on cur
entry main [n] (steps : i64) (is : [n]i64) -> (r : [n]i64) (s : i64) =
  let (y : [n]i64) = iota [n] 10 3
  let (cur1 : [n]i64) (sum1 : i64) = loop (cur : *[n]i64) = y, (sum : i64) = 0 for i < steps do
    let (next : [n]i64) = replicate [n] i
    let (counts : [n]i64) = kernel j < n hist (cur) (\ (a : i64) (b : i64) ->
      let (ab : i64) = a + b
      in (ab)) (0) do
      let (at : i64) = is[j]
      in (at, j)
    let (e : i64) = counts[0]
    let (sum2 : i64) = sum + e
    in (next, sum2)
  in (cur1, sum1)
