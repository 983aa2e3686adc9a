entry main [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (q : [n - 1]i32) =
  let (a : [n - 1]i32) (b : [n - 1]i32) =
    kernel i < n - 1, k in offs : m reduce comm
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (a3 : i32) = a1 + a2
        let (b3 : i32) = max(b1, b2)
        in (a3, b3)) (0i32, -2147483648i32)
    do
      let (x : i32) = xs[k]
      let (y : i32) = x * i32(k) + i32(i)
      in (y, x)
  in (a, b)
