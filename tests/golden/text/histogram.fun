entry main [n] (k : i64) (xs : [n]i32) -> (counts : [k]i32) =
  let (zeros : [k]i32) = replicate [k] 0i32
  let (h : [k]i32) =
    kernel i < n hist (zeros)
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i]
      let (bucket : i64) = i64(x)
      in (bucket, 1i32)
  in (h)
