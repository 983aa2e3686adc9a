-- (2) Which row a thread reads is data.
-- refused: (2) xs: the address depends on r, which the thread computes
entry main [n] [m] (is : [n]i64) (xs : [n][m]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (d : i64) = is[i]
    let (r : i64) = d % n
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[r, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
