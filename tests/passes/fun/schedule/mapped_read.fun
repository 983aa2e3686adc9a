-- (S3) A loop is not run again.  What is a result anyway is read from there; for the other operand
-- the first kernel writes an array more.
entry main [n] (xs : [n]i32) (ys : [n]i32) -> (lo : [n]i32) (sums : [n]i32) (ps : [n]i32) =
  let (lows : [n]i32) (totals : [n]i32) (powers : [n]i32) = kernel i < n scan (\
      (a : i32) (b : i32) (c : i32) (d : i32) ->
      let (m : i32) = min(a, c)
      let (s : i32) = b + d
      in (m, s)) (2147483647i32, 0i32) do
    let (x : i32) = xs[i]
    let (y : i32) = ys[i]
    let (p : i32) = loop (q : i32) = x for k < 3 do
      let (r : i32) = q * y
      in (r)
    let (e : i32) = p - x
    in (e, p, p)
  in (lows, totals, powers)
