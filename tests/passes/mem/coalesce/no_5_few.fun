-- (5) Two columns of many.
-- refused: (5) xs: the kernel computes with at least 2*n elements, and the array has m*n + 2*n
entry main [n] (m : i64) (xs : [n][m + 2]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < 2 do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
