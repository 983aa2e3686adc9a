-- Products of matrices, in order: a long operator that does not commute.
entry main [n] (as : [n]i32) (bs : [n]i32) -> (ra : i32) (rb : i32) (rc : i32) (rd : i32) =
  let (sa : i32) (sb : i32) (sc : i32) (sd : i32) = kernel i < n reduce
    (\ (a1 : i32) (b1 : i32) (c1 : i32) (d1 : i32) (a2 : i32) (b2 : i32) (c2 : i32) (d2 : i32) ->
    let (a : i32) = a1 * a2 + b1 * c2
    let (b : i32) = a1 * b2 + b1 * d2
    let (c : i32) = c1 * a2 + d1 * c2
    let (d : i32) = c1 * b2 + d1 * d2 + 0i32 * (a1 - b2) + 0i32 * (a1 - b2)
    in (a, b, c, d)) (1i32, 0i32, 0i32, 1i32) do
    let (x : i32) = as[i]
    let (y : i32) = bs[i]
    let (z : i32) = x * y + 1i32
    in (z, x, y, 1i32)
  in (sa, sb, sc, sd)
