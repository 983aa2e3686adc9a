-- (5) Rows are read in a branch, or by as many iterations as the data say.
-- refused: (5) xs: the kernel computes with at least 0 elements, and the array has m*n
entry main [n] [m] (c : i32) (xs : [n][m]i32) (ls : [n]i64) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (l : i64) = ls[i]
    let (k : i64) = min(l, m)
    let (start : i32) = loop (s : i32) = 0i32 for j < k do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    let (positive : bool) = c < start
    let (sum : i32) = if positive then
      let (r : i32) = loop (t : i32) = start for h < m do
        let (y : i32) = xs[i, h]
        let (t1 : i32) = t * 3i32 + y
        in (t1)
      in (r)
    else
      in (start)
    in (sum)
  in (sums1)
