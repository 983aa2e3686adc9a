-- All of an array, backwards, into itself.
-- refused: (4) update of b: b reads xs
-- refused: (1) copy of xs: z uses xs afterwards
-- refused: (3) copy of z: it is a parameter of the entry point
entry main [n] (xs : *[n]i32) -> (zs : [n]i32) =
  let (b : [n]i32) = copy xs
  let (z : [n]i32) = xs with [n - 1 : n : -1] = b
  in (z)
