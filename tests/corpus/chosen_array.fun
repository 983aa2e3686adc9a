-- A branch chooses the array; its block, offset and stride are known at run time only.
entry main [n] (k : i64) (xs : [n]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (c : bool) = x % 2i32 == 0i32
    let (a : [k]i32) = if c then
      let (t : [k]i32) = iota [k] x 1i32
      in (t)
    else
      let (u : [2 * k]i32) = iota [2 * k] x 5i32
      let (v : [k]i32) = u[k : k]
      let (w : [k]i32) = reverse 0 v
      in (w)
    let (half : [k]i32) = a[0 : k]
    let (sum : i32) = loop (s : i32) = 0i32 for j < k do
      let (y : i32) = half[j]
      let (s2 : i32) = s * 7i32 + y
      in (s2)
    in (sum)
  in (out)
