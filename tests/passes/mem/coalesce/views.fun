-- A thread's rows are views of views, one of them backwards; they move with the array.
-- done: xs: -m -> 0 + {(n : 1) (m : n)}
entry main [n] [m] (xs : [n][m]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (row : [m]i32) = xs[n - 1 - i, 0 : m]
    let (back : [m]i32) = reverse 0 row
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = back[j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
