entry main [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [m]i32) (q : [m]i32) =
  let (a : [m]i32) (b : [m]i32) =
    kernel i < n - 1, k in offs : m scan
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (a3 : i32) = a1 * a2
        let (b4 : i32) = b1 * a2
        let (b3 : i32) = b4 + b2
        in (a3, b3)) (1i32, 0i32)
    do
      let (x : i32) = xs[k]
      in (3i32, x)
  in (a, b)
