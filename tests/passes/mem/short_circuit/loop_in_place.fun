-- Each step makes a new array; nobody needs the one before, so all are made where the last one goes.
-- done: copy of z, concat of y, concat of w
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (first : [n]i32) = replicate [n] 1i32
  let (y : [n]i32) = loop (a : [n]i32) = first for s < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[i]
      let (x : i32) = xs[i]
      let (u : i32) = v * x
      in (u)
    in (next)
  let (w : [n]i32) = iota [n] 0i32 1i32
  let (z : [2*n]i32) = concat 0 w y
  in (z)
