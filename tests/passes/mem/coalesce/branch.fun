-- In a branch, the copy is made there and not in front of it.
-- done: xs: m -> 0 + {(n : 1) (m : n)}
entry main [n] [m] (c : bool) (xs : [n][m]i32) -> (sums : [n]i32) =
  let (r : [n]i32) = if c then
    let (sums1 : [n]i32) = kernel i < n do
      let (sum : i32) = loop (s : i32) = 0i32 for j < m do
        let (x : i32) = xs[i, j]
        let (s1 : i32) = s * 3i32 + x
        in (s1)
      in (sum)
    in (sums1)
  else
    let (zero : [n]i32) = replicate [n] 0i32
    in (zero)
  in (r)
