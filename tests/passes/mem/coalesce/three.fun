-- Two dimensions of threads: their indices go last, in the order of the kernel.
-- done: xs: m -> 0 + {(n : k) (k : 1) (m : k*n)}
entry main [n] [k] [m] (xs : [n][k][m]i32) -> (sums : [n][k]i32) =
  let (sums1 : [n][k]i32) = kernel i < n, l < k do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[i, l, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
