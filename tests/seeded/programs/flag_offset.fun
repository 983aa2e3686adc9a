-- The branches return views of one array at the offsets 1 and 0.
entry main [n] (xs : [n]i32) (c : bool) -> (s : [n - 1]i32) =
  let (r : [n - 1]i32) = if c then
    let (a : [n - 1]i32) = xs[1 : n - 1]
    in (a)
  else
    let (b : [n - 1]i32) = xs[0 : n - 1]
    in (b)
  in (r)
