-- Both branches read the rows of one matrix, and each needs a copy of its own.
entry main [n] [m] (c : bool) (xs : [n][m]i32) -> (sums : [n]i32) =
  let (r : [n]i32) = if c then
    let (a : [n]i32) = kernel i < n do
      let (sum : i32) = loop (s : i32) = 0i32 for j < m do
        let (x : i32) = xs[i, j]
        let (s1 : i32) = s * 3i32 + x
        in (s1)
      in (sum)
    in (a)
  else
    let (b : [n]i32) = kernel p < n do
      let (total : i32) = loop (t : i32) = 1i32 for q < m do
        let (y : i32) = xs[p, q]
        let (t1 : i32) = t * 5i32 + y
        in (t1)
      in (total)
    in (b)
  in (r)
