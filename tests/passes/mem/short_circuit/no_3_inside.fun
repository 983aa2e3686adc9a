-- (3) Where the array lies that is turned round depends on a size that only its branch knows.
-- done: copy of z
-- refused: (3) update of b: a would need
entry main [n] (c : bool) (k : i64) (xs : [n]i32) -> (zs : [2*n]i32) =
  let (whole : [2*n]i32) = replicate [2*n] 1i32
  let (b : [n]i32) = if c then
    let (a : [n]i32) = kernel i < n do
      let (x : i32) = xs[i]
      let (y : i32) = x + x
      in (y)
    let (e : i32) = a[0]
    let (p : i64) = i64(e)
    let (q : i64) = n / p
    let (rows : [p][q]i32) = reshape [p][q] a
    let (down : [p][q]i32) = reverse 0 rows
    let (back : [p][q]i32) = reverse 1 down
    let (line : [n]i32) = reshape [n] back
    in (line)
  else
    let (up : [n]i32) = iota [n] 1i32 2i32
    in (up)
  let (z : [2*n]i32) = whole with [0 : n] = b
  in (z)
