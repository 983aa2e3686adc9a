-- No copy follows the loop, but one goes in front of it: then it works in that place.
-- done: next value of a, copy of z
-- refused: (3) copy of xs: it is a parameter of the entry point
entry main [n] (steps : i64) (xs : [n]i32) (k : i64) -> (zs : [n]i32) (s : i32) =
  let (z : [n]i32) = loop (a : [n]i32) = xs for s1 < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (u : i32) = v * v
      in (u)
    in (next)
  let (one : i32) = kernel j < n reduce (\(p : i32) (q : i32) -> let (r : i32) = p + q in (r)) (0i32) do
    let (e : i32) = z[j]
    in (e)
  in (z, one)
