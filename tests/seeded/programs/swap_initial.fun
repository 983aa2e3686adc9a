-- The next value is a row of many: without rows there is none, and only the first value has a place.
entry main [n] (k : i64) (xs : [n]i64) (rows : i64) -> (r : [n]i64) =
  let (last : [n]i64) =
    loop (x : [n]i64) = xs for i < k do
      let (many : [rows][n]i64) = replicate [rows] x
      let (y : [n]i64) = many[0, 0 : n]
      in (y)
  in (last)
