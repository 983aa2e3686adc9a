-- (S2) A scan: reduce the chunks, scan the partial results, scan every chunk from there.
entry sums [n] (xs : [n]i32) -> (r : [n]i32) =
  let (s : [n]i32) = kernel i < n scan (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)

-- Not commutative: the composition of x -> a*x + b.
entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : [n]i64) (rb : [n]i64) =
  let (sa : [n]i64) (sb : [n]i64) = kernel i < n scan
    (\ (a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
    let (a3 : i64) = a1 * a2
    let (b3 : i64) = a2 * b1 + b2
    in (a3, b3)) (1, 0) do
    let (a : i64) = as[i]
    let (b : i64) = bs[i]
    in (a, b)
  in (sa, sb)

-- Array-valued.
entry rows [n] [m] (xs : [n][m]i32) -> (r : [n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [n][m]i32) = kernel i < n scan (\ (a : [m]i32) (b : [m]i32) ->
    let (c : [m]i32) = kernel j < m do
      let (u : i32) = a[j]
      let (v : i32) = b[j]
      let (w : i32) = u + v
      in (w)
    in (c)) (zeros) do
    let (row : [m]i32) = xs[i, 0 : m]
    in (row)
  in (s)
