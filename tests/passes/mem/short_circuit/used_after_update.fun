-- An update with what is there already writes nothing over what is read later.
-- done: copy of z, copy of w, update of b, concat of c, concat of d
entry main [n] (xs : [n]i32) -> (zs : [4*n]i32) (ws : [n]i32) =
  let (whole : [4*n]i32) = replicate [4*n] 1i32
  let (c : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x * x
    in (y)
  let (d : [n]i32) = replicate [n] 5i32
  let (b : [2*n]i32) = concat 0 c d
  let (z : [4*n]i32) = whole with [0 : 2*n] = b
  let (w : [n]i32) = kernel j < n do
    let (v : i32) = c[n - 1 - j]
    in (v)
  in (z, w)
