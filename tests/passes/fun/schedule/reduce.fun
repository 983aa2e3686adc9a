-- (S2) A reduction in chunks.
entry sum [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce comm (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)

-- Not commutative: the composition of x -> a*x + b.
entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) = kernel i < n reduce
    (\ (a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
    let (a3 : i64) = a1 * a2
    let (b3 : i64) = a2 * b1 + b2
    in (a3, b3)) (1, 0) do
    let (a : i64) = as[i]
    let (b : i64) = bs[i]
    in (a, b)
  in (sa, sb)

-- The first row that is not zero: array-valued, not commutative, hands its operands back.
entry first [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [m]i32) = kernel i < n reduce (\ (a : [m]i32) (b : [m]i32) ->
    let (some : bool) = kernel j < m reduce comm (\ (p : bool) (q : bool) ->
      let (pq : bool) = p || q
      in (pq)) (false) do
      let (u : i32) = a[j]
      let (nonzero : bool) = u != 0i32
      in (nonzero)
    let (c : [m]i32) = if some then in (a) else in (b)
    in (c)) (zeros) do
    let (row : [m]i32) = xs[i, 0 : m]
    in (row)
  let (own : [m]i32) = s with [0 : m] = zeros
  in (own)

-- The index of the kernel is used, and the kernel stands in a loop and in a branch.
entry weighted [n] (k : i64) (xs : [n]i64) -> (r : i64) =
  let (s : i64) = loop (acc : i64) = 0 for t < k do
    let (odd : bool) = acc % 2 == 1
    let (next : i64) = if odd then
      let (dot : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0) do
        let (x : i64) = xs[i]
        let (y : i64) = x * (i + 1)
        in (y)
      in (dot)
    else
      let (more : i64) = acc + t + 1
      in (more)
    in (next)
  in (s)
