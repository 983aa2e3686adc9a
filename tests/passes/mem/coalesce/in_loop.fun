-- The matrix is the same in each step: it is copied once, in front of the loop.
-- done: xs: m -> 0 + {(n : 1) (m : n)}
entry main [n] [m] (steps : i64) (xs : [n][m]i32) -> (last : [n]i32) =
  let (zero : [n]i32) = replicate [n] 0i32
  let (end : [n]i32) = loop (v : [n]i32) = zero for t < steps do
    let (next : [n]i32) = kernel i < n do
      let (e : i32) = v[i]
      let (sum : i32) = loop (s : i32) = e for j < m do
        let (x : i32) = xs[i, j]
        let (s1 : i32) = s * 3i32 + x
        in (s1)
      in (sum)
    in (next)
  in (end)
