-- The consumer runs over another size than the producer; where it is larger, it traps.
entry main [n] [m] (xs : [n]i64) (zs : [m]i64) -> (r : [m]i64) =
  let (as : [n]i64) = kernel i < n do
    let (a : i64) = loop (acc : i64) = 1 for t < 3 do
      let (next : i64) = acc * 2
      in (next)
    in (a)
  let (bs : [m]i64) = kernel j < m do
    let (y : i64) = as[j]
    let (z : i64) = zs[j]
    let (b : i64) = y + z
    in (b)
  in (bs)
