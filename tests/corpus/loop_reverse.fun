-- The next value is a new array or the old one reversed, which overlaps its own place.
entry main [n] (k : i64) (steps : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (last : [k]i32) = loop (b : [k]i32) = a for t < steps do
      let (c : bool) = t % 2 == 0
      let (d : [k]i32) = if c then
        let (back : [k]i32) = reverse 0 b
        in (back)
      else
        let (new : [k]i32) = kernel j < k do
          let (e : i32) = b[j]
          let (e2 : i32) = e * 3i32 + 1i32
          in (e2)
        in (new)
      in (d)
    in (last)
  in (out)
