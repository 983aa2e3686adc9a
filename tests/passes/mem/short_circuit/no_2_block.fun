-- (2) Which block the destination is in depends on the piece.
-- refused: (2) update of b: t_mem_1 is bound after b is made
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (p : *[2*n]i32) (q : *[2*n]i32) -> (zs : [2*n]i32) =
  let (b : [n]i32) = kernel i < n do
    let (y : i32) = i32(i)
    in (y)
  let (first : i32) = b[0]
  let (c : bool) = first > 2i32
  let (t : [2*n]i32) = if c then
    in (p)
  else
    in (q)
  let (z : [2*n]i32) = t with [0 : n] = b
  in (z)
