-- (5) The initial value belongs to the caller, and two blocks are needed anyway.
-- refused: (5) copy of y: the initial value of a: xs is made elsewhere
-- refused: (4) next value of a: v reads a
entry main [n] (steps : i64) (xs : [n]i32) -> (zs : [n]i32) =
  let (y : [n]i32) = loop (a : [n]i32) = xs for t < steps do
    let (next : [n]i32) = kernel i < n do
      let (v : i32) = a[n - 1 - i]
      let (u : i32) = v + v
      in (u)
    in (next)
  in (y)
