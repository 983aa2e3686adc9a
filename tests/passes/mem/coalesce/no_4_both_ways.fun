-- (4) A thread reads its row and its column: one of them is far apart in any order.
-- refused: (4) xs: the reads of y would then be far apart
entry main [n] (xs : [n][n]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < n do
      let (x : i32) = xs[i, j]
      let (y : i32) = xs[j, i]
      let (s1 : i32) = s * x + y
      in (s1)
    in (sum)
  in (sums1)
