-- A branch chooses between a row from outside of the kernel and the thread's own array.
entry main [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (out : [n]i32) = kernel i < n do
    let (c : bool) = i % 2 == 0
    let (row : [m]i32) = xs[i, 0 : m]
    let (a : [m]i32) = if c then
      in (row)
    else
      let (u : [m]i32) = iota [m] 100i32 1i32
      in (u)
    let (sum : i32) = loop (s : i32) = 0i32 for j < m do
      let (y : i32) = a[j]
      let (s2 : i32) = s * 7i32 + y
      in (s2)
    in (sum)
  in (out)
