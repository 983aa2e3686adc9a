-- An array grows in a loop inside a kernel: no block outside is large enough.
entry main [n] (steps : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (out : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (one : [1]i64) = [x] : i64
    let (len : i64) (all : [len]i64) = loop (l : i64) = 1, (a : [l]i64) = one for t < steps do
      let (l2 : i64) = l * 2
      let (twice : [l + l]i64) = concat 0 a a
      let (b : [l2]i64) = reshape [l2] twice
      in (l2, b)
    let (sum : i64) = loop (s : i64) = 0 for j < len do
      let (e : i64) = all[j]
      let (s2 : i64) = s + e
      in (s2)
    in (sum)
  in (out)
