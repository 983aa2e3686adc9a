-- Four f64 are as much as a GPU fetches at once, two of them are less.
-- done: xs: 4 -> 0 + {(n : 1) (4 : n)}
entry main [n] (xs : [n][4]f64) (ys : [n][2]f64) -> (sums : [n]f64) =
  let (sums1 : [n]f64) = kernel i < n do
    let (start : f64) = loop (s : f64) = 0.0f64 for j < 4 do
      let (x : f64) = xs[i, j]
      let (s1 : f64) = s + x
      in (s1)
    let (sum : f64) = loop (t : f64) = start for l < 2 do
      let (y : f64) = ys[i, l]
      let (t1 : f64) = t * y
      in (t1)
    in (sum)
  in (sums1)
