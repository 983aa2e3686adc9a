-- There is a first column, if it has an element that is written.
-- done: update of b, copy of z
entry main [n] (xs : [n]i32) -> (zs : [n][n]i32) =
  let (whole : [n][n]i32) = replicate [n][n] 1i32
  let (b : [n][1]i32) = replicate [n][1] 7i32
  let (z : [n][n]i32) = whole with [0 : n, 0 : 1] = b
  in (z)
