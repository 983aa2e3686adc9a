-- (4) An update by an overlapping part of the same array.
-- refused: (4) update of part: part reads old
-- refused: (1) copy of old: z uses xs afterwards
-- refused: (3) copy of z: it is a parameter of the entry point
entry main (n : i64) (xs : *[n + 1]i32) -> (zs : [n + 1]i32) =
  let (old : [n]i32) = xs[0 : n]
  let (part : [n]i32) = copy old
  let (z : [n + 1]i32) = xs with [1 : n] = part
  in (z)
