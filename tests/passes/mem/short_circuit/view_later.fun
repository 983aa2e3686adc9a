-- A view of the piece is made and read after the copy; the elements are still there.
-- done: copy of z, update of b
entry main [n] (xs : [n]i32) -> (zs : [n + 1]i32) (o : i32) =
  let (whole : [n + 1]i32) = replicate [n + 1] 1i32
  let (b : [n + 1]i32) = kernel i < n + 1 do
    let (y : i32) = i32(i) * 2i32
    in (y)
  let (z : [n + 1]i32) = whole with [0 : n + 1] = b
  let (c : [n + 1]i32) = reverse 0 b
  let (e : i32) = kernel k < n + 1 reduce (\(p : i32) (q : i32) -> let (r : i32) = p * 3i32 + q in (r)) (0i32) do
    let (v : i32) = c[k]
    in (v)
  in (z, e)
