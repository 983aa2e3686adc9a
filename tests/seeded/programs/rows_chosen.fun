-- Rows of one matrix: which one, the condition says.
entry main [n] [k] (xs : [n][k]i32) (i : i64) (j : i64) (c : bool) -> (r : [k]i32) =
  let (y : [k]i32) =
    if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (v)
    else
      let (w : [k]i32) = xs[j, 0 : k]
      in (w)
  in (y)
