-- What the producer reads is updated before the later consumers, so its array is stored.
entry main [n] (xs : *[n]i64) -> (r : i64) (q : i64) (o : [n]i64) (t : [n]i64) =
  let (ys : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (z : i64) = x + 7
    in (z)
  let (s : i64) = kernel j1 < n reduce (\ (a1 : i64) (b1 : i64) ->
    let (c1 : i64) = a1 + b1
    in (c1)) (0) do
    let (u1 : i64) = ys[j1]
    in (u1)
  let (zs : [n]i64) = xs with [0] = 5
  let (p : i64) = kernel j2 < n reduce (\ (a2 : i64) (b2 : i64) ->
    let (c2 : i64) = a2 * b2
    in (c2)) (0) do
    let (u2 : i64) = ys[j2]
    in (u2)
  let (us : [n]i64) = kernel j3 < n scan (\ (a3 : i64) (b3 : i64) ->
    let (c3 : i64) = a3 + b3
    in (c3)) (0) do
    let (u3 : i64) = ys[j3]
    in (u3)
  in (s, p, us, zs)
