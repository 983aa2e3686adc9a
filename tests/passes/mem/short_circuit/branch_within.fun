-- A branch returns what its loop makes in one place: only the loop itself decides whether it can.
-- done: next value of a
entry main [n] (c : bool) (steps : i64) (xs : [n]i32) (k : i64) -> (r : i32) =
  let (z : [n]i32) = if c then
    let (first : [n]i32) = replicate [n] 1i32
    let (y : [n]i32) = loop (a : [n]i32) = first for s < steps do
      let (next : [n]i32) = kernel i < n do
        let (v : i32) = a[i]
        let (x : i32) = xs[i]
        let (u : i32) = v * x
        in (u)
      in (next)
    in (y)
  else
    let (up : [n]i32) = iota [n] 1i32 2i32
    in (up)
  let (e : i32) = z[k]
  in (e)
