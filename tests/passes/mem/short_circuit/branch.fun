-- Whichever branch is taken builds its result in the destination.
-- done: copy of z, update of b
entry main [n] (c : bool) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (b : [n]i32) = if c then
    let (up : [n]i32) = kernel i < n do
      let (x : i32) = xs[i]
      let (w : i32) = whole[i]
      let (y : i32) = x + w
      in (y)
    in (up)
  else
    let (none : [n]i32) = replicate [n] 4i32
    let (back : [n]i32) = reverse 0 none
    in (back)
  let (z : [2*n]i32) = whole with [n : n] = b
  in (z)
