entry main [n] (k : i64) (xs : [n]i64) -> (r : [n]i64) =
  let (last : [n]i64) =
    loop (x : [n]i64) = xs for i < k do
      let (y : [n]i64) =
        kernel j < n do
          let (v : i64) = x[j]
          let (next : i64) = (j + 1) % n
          let (w : i64) = x[next]
          let (s : i64) = v + w
          in (s)
      in (y)
  in (last)
