-- Neighbouring threads read neighbours in every row, or all of them the same element: nothing to do.
entry main [n] [m] (xs : [n][m]i32) (v : [n]i32) -> (sums : [m]i32) =
  let (sums1 : [m]i32) = kernel i < m do
    let (sum : i32) = loop (s : i32) = 0i32 for j < n do
      let (x : i32) = xs[j, i]
      let (y : i32) = v[j]
      let (s1 : i32) = s * y + x
      in (s1)
    in (sum)
  in (sums1)
