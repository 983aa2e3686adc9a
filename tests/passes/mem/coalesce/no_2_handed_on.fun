-- (2) A loop in the thread hands the row on: what it reads later may be another one.
-- refused: (2) xs: a branch or loop inside the kernel passes it on
-- refused: (1) r: each thread has its own
entry main [n] [m] (xs : [n][m]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (row : [m]i32) = xs[i, 0 : m]
    let (first : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = row[j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    let (other : [m]i32) = xs[0, 0 : m]
    let (sum : i32) (z : [m]i32) = loop (t : i32) = first, (r : [m]i32) = row for l < m do
      let (y : i32) = r[l]
      let (t1 : i32) = t * 3i32 + y
      in (t1, other)
    in (sum)
  in (sums1)
