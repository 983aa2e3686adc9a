-- (5) A part of the next value is built in the next value's block; it would stay there.
-- done: concat of b
-- refused: (1) concat of xs: the next iteration of the loop z uses xs
-- refused: (5) next value of a: b is built in the block of next
entry main [n] (steps : i64) (xs : [n]i32) (k : i64) -> (r : i32) =
  let (first : [2*n]i32) = replicate [2*n] 1i32
  let (z : [2*n]i32) = loop (a : [2*n]i32) = first for s < steps do
    let (b : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (u : i32) = v + 1i32
      in (u)
    let (next : [2*n]i32) = concat 0 b xs
    in (next)
  let (e : i32) = z[k]
  in (e)
