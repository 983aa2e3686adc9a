-- Each thread goes along a row: its neighbours shall be next to each other, and the rows apart.
-- done: xs: m -> 0 + {(n : 1) (m : n)}
entry main [n] [m] (xs : [n][m]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
