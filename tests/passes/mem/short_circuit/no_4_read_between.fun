-- (4) The old elements are read after the piece has been made.
-- done: copy of z
-- refused: (4) update of b: s reads whole
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) (e : i32) =
  let (whole : [n + 1]i32) = iota [n + 1] 1i32 2i32
  let (b : [1]i32) = kernel i < 1 do
    let (y : i32) = i32(i)
    in (y)
  let (s : i32) = whole[0]
  let (z : [n + 1]i32) = whole with [0 : 1] = b
  in (z, s)
