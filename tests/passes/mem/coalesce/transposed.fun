-- What is read is the transpose of an argument: the copy is what a transposition would write.
-- done: t: m -> 0 + {(m : n) (n : 1)}
entry main [n] [m] (xs : [n][m]i32) -> (sums : [n]i32) =
  let (t : [m][n]i32) = permute (1, 0) xs
  let (sums1 : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = t[j, i]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
