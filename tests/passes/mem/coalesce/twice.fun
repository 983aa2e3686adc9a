-- Two kernels, the second in a loop, read one copy.
-- done: xs: m -> 0 + {(n : 1) (m : n)}
-- done: xs: m -> 0 + {(n : 1) (m : n)}
entry main [n] [m] (steps : i64) (xs : [n][m]i32) -> (last : [n]i32) =
  let (first : [n]i32) = kernel i < n do
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (x : i32) = xs[i, j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  let (end : [n]i32) = loop (v : [n]i32) = first for t < steps do
    let (next : [n]i32) = kernel p < n do
      let (e : i32) = v[n - 1 - p]
      let (more : i32) = loop (u : i32) = e for q < m do
        let (y : i32) = xs[p, q]
        let (u1 : i32) = u * 5i32 + y
        in (u1)
      in (more)
    in (next)
  in (end)
