entry main [k] [c] (m : i64) (first : [k]i64) (vs : [k][c]i64)
    -> (out : [k*c]i64) =
  let (x : [k*c]i64) = replicate [k*c] 0
  let (table : [k][c]i64) =
    kernel t < k do
      let (g : i64) = first[t]
      let (h : i64) = x[t]
      let (f : i64) = h + g * c
      let (row : [c]i64) = scratch [c]i64
      let (done : [c]i64) (e : i64) =
        loop (r : *[c]i64) = row, (a : i64) = f for i < c do
          let (s : [c]i64) = r with [i] = a
          let (b : i64) = a + 1
          in (s, b)
      in (done)
  let (line : [k*c]i64) = reshape [k*c] table
  let (values : [k*c]i64) = reshape [k*c] vs
  let (y : [k*c]i64) = scatter x line values
  in (y)
