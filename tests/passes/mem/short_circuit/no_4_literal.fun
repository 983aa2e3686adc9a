-- (4) A literal is written over what would be in its place already.
-- done: copy of z
-- refused: (4) update of b: writes whole
entry main (xs : [2]i32) -> (zs : [4]i32) =
  let (b : [2]i32) = kernel i < 2 do
    let (x : i32) = xs[i]
    let (y : i32) = x + 1i32
    in (y)
  let (whole : [4]i32) = [5i32, 6i32, 7i32, 8i32] : i32
  let (z : [4]i32) = whole with [1 : 2] = b
  in (z)
