-- (1) A loop returns a view of the piece, which thus outlives the iteration.
-- done: copy of z
-- refused: (4) copy of last: v reads view
-- refused: (1) update of b: back is a result of the loop z last
-- refused: (4) next value of view: v reads view
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [2*n]i32) (bs : [n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (none : [n]i32) = replicate [n] 1i32
  let (z : [2*n]i32) (last : [n]i32) = loop (a : *[2*n]i32) = whole, (view : [n]i32) = none for s < steps do
    let (b : [n]i32) = kernel i < n do
      let (x : i32) = xs[i]
      let (v : i32) = view[i]
      let (y : i32) = x + v
      in (y)
    let (a1 : [2*n]i32) = a with [0 : n] = b
    let (back : [n]i32) = reverse 0 b
    in (a1, back)
  in (z, last)
