-- A loop on the host keeps a new array for a while: it is returned for b in every third iteration.
entry main [n] (steps : i64) (xs : [n]i32) -> (r : [n]i32) (s : [n]i32) =
  let (ys : [n]i32) (zs : [n]i32) =
    loop (a : [n]i32) = xs, (b : [n]i32) = xs for t < steps do
      let (c : [n]i32) = kernel i < n do
        let (u : i32) = a[i]
        let (v : i32) = b[n - 1 - i]
        let (w : i32) = u * 2i32 - v
        in (w)
      let (now : bool) = t % 3 == 0
      let (d : [n]i32) = if now then
        in (c)
      else
        in (b)
      in (c, d)
  in (ys, zs)
