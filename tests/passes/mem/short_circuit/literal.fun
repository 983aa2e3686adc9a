-- Rows of an array literal.
-- done: copy of z, array literal of a, array literal of b
entry main [n] (xs : [n]i32) -> (zs : [2][n]i32) =
  let (a : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (b : [n]i32) = replicate [n] 5i32
  let (z : [2][n]i32) = [a, b] : [n]i32
  in (z)
