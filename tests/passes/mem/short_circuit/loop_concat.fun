-- The next value is put together from parts of the current one, which is still needed.
-- refused: (5) copy of y: the initial value of a: xs is made elsewhere
-- refused: (4) next value of a: next reads high
-- refused: (1) concat of high: next is a result of the loop y
-- refused: (1) concat of low: next is a result of the loop y
entry main [n] (steps : i64) (xs : [2*n]i32) (us : [n]i32) -> (zs : [2*n]i32) =
  let (y : [2*n]i32) = loop (a : [2*n]i32) = xs for s < steps do
    let (high : [n]i32) = a[n : n]
    let (low : [n]i32) = a[0 : n]
    let (next : [2*n]i32) = concat 0 high low
    in (next)
  in (y)
