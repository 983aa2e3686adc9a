-- (6) The initial value's place may have room for fewer elements than the next value's.
-- refused: (6) next value of x: a different number of elements
-- refused: (6) copy of z: a different number of elements
entry main [n] (xs : [n]i32) -> (zs : [n]i32) =
  let (start : [n]i32) = kernel i < n do
    let (v : i32) = xs[i]
    in (v)
  let (z : [n]i32) = loop (x : [n]i32) = start for j < 3 do
    let (a : [2][2]i32) = replicate [2][2] 7i32
    let (b : [n]i32) = reshape [n] a
    in (b)
  in (z)
