-- (2) A thread flattens its part, which only works in the order in which it is.
-- refused: (2) xs: a reshape inside the kernel needs the present order
entry main [n] [m] [k] (xs : [n][m][k]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (part : [m][k]i32) = xs[i, 0 : m, 0 : k]
    let (line : [m*k]i32) = reshape [m*k] part
    let (sum : i32) = loop (s : i32) = 0i32 for j < m * k do
      let (x : i32) = line[j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
