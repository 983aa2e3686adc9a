-- The matrix changes with each step: it is copied in each, to a block that is allocated once.
-- done: a: n -> 0 + {(n : 1) (n : n)}
entry main [n] (steps : i64) (xs : [n][n]i32) -> (last : [n][n]i32) =
  let (end : [n][n]i32) = loop (a : [n][n]i32) = xs for t < steps do
    let (sums : [n]i32) = kernel i < n do
      let (sum : i32) = loop (s : i32) = 0i32 for j < n do
        let (x : i32) = a[i, j]
        let (s1 : i32) = s * 3i32 + x
        in (s1)
      in (sum)
    let (next : [n][n]i32) = kernel p < n, q < n do
      let (e : i32) = a[p, q]
      let (f : i32) = sums[q]
      let (y : i32) = e + f
      in (y)
    in (next)
  in (end)
