-- Both branches return the same array, one of them reversed: one block, two index functions.
entry main [n] (k : i64) (xs : [n]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (c : bool) = x > 2i32
    let (b : [k]i32) = if c then
      in (a)
    else
      let (back : [k]i32) = reverse 0 a
      in (back)
    let (sum : i32) = loop (s : i32) = 0i32 for j < k do
      let (y : i32) = b[j]
      let (s2 : i32) = s * 7i32 + y
      in (s2)
    in (sum)
  in (out)
