-- A reduction and a scan of other values, whose operator is not commutative: the composition of x -> a*x + b.
entry main [n] (as : [n]i64) (bs : [n]i64) -> (ra : i64) (rb : i64) (sa : [n]i64) (sb : [n]i64) =
  let (ra1 : i64) (rb1 : i64) = kernel i < n reduce
    (\ (a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
    let (a3 : i64) = a1 * a2
    let (b3 : i64) = a2 * b1 + b2
    in (a3, b3)) (1, 0) do
    let (a : i64) = as[i]
    let (b : i64) = bs[i]
    in (a, b)
  let (sa1 : [n]i64) (sb1 : [n]i64) = kernel j < n scan
    (\ (p1 : i64) (q1 : i64) (p2 : i64) (q2 : i64) ->
    let (p3 : i64) = p1 * p2
    let (q3 : i64) = p2 * q1 + q2
    in (p3, q3)) (1, 0) do
    let (p : i64) = bs[j]
    let (q : i64) = as[j]
    in (p, q)
  in (ra1, rb1, sa1, sb1)
