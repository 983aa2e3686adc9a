-- As many elements, for the same reshape of another array has not trapped.
-- done: copy of row, copy of b
entry main [k] (ys : [4]i32) (xs : [k]i32) -> (ws : [k]i32) (zs : [4][k]i32) =
  let (y : [4][k]i32) = reshape [4][k] ys
  let (row : [k]i32) = kernel i < k do
    let (v : i32) = y[3, i]
    in (v)
  let (a : [4]i32) = iota [4] 7i32 1i32
  let (b : [4][k]i32) = reshape [4][k] a
  in (row, b)
