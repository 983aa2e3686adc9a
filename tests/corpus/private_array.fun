-- Every thread owns an array, looks at it through slices, reversed and reshaped, and updates it.
entry main [n] (k : i64) (xs : [n]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [2 * k]i32) = iota [2 * k] x 1i32
    let (first : [k]i32) = a[0 : k]
    let (back : [2 * k]i32) = reverse 0 a
    let (pairs : [k][2]i32) = reshape [k][2] back
    let (turned : [2][k]i32) = permute (1, 0) pairs
    let (sum : i32) = loop (s : i32) = 0i32 for j < k do
      let (u : i32) = first[j]
      let (v : i32) = turned[1, j]
      let (s2 : i32) = s + u * v
      in (s2)
    let (ones : [k]i32) = replicate [k] 1i32
    let (z : [2 * k]i32) = a with [k : k] = ones
    let (last : i32) = loop (t : i32) = sum for l < 2 * k do
      let (w : i32) = z[l]
      let (t2 : i32) = t * 3i32 + w
      in (t2)
    in (last)
  in (out)
