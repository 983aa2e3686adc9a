-- The threads of an inner kernel own arrays; the outer thread's size grows with its index.
entry main [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (rows : [m]i32) = kernel j < m do
      let (x : i32) = xs[i, j]
      let (a : [i + 2]i32) = iota [i + 2] x 1i32
      let (back : [i + 2]i32) = reverse 0 a
      let (y : i32) = loop (s : i32) = 0i32 for l < i + 2 do
        let (e : i32) = back[l]
        let (s2 : i32) = s * 3i32 + e
        in (s2)
      in (y)
    let (sum : i32) = kernel j2 < m reduce (\ (p : i32) (q : i32) ->
      let (pq : i32) = p + q
      in (pq)) (0i32) do
      let (z : i32) = rows[j2]
      in (z)
    in (sum)
  in (out)
