-- The only row of an array is as good as the array.
-- done: copy of z, update of b
entry main [n] (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (a : [1][n]i32) = kernel i < 1, j < n do
    let (x : i32) = xs[j]
    in (x)
  let (b : [n]i32) = a[0, 0 : n]
  let (z : [2*n]i32) = whole with [n : n] = b
  in (z)
