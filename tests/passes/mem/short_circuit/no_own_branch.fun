-- Both branches show rows that were there before: there is nothing to make in place.
-- done: copy of out
-- refused: (3) result of a thread of y: v is a slice of xs
entry main [n] [k] (xs : [n][k]i32) (zs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (c : bool) = i == 1
    let (y : [k]i32) = if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (v)
    else
      let (w : [k]i32) = zs[i, 0 : k]
      in (w)
    in (y)
  in (out)
