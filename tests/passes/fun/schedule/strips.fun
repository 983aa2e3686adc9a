-- (S4) Commutative reductions in strips of 64: an operator that says so, one that everybody knows.
entry sum [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce comm (\ (a : i32) (b : i32) ->
    let (c : i32) = a + b
    in (c)) (0i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)

entry known [n] (xs : [n]i64) (ys : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) = kernel i < n reduce
    (\ (a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
    let (a3 : i64) = a1 + a2
    let (b3 : i64) = max(b2, b1)
    in (a3, b3)) (0, -100) do
    let (x : i64) = xs[i]
    let (y : i64) = ys[i]
    let (z : i64) = x * y - i
    in (z, y)
  in (sa, sb)

-- What does not fit i64 would come after the strips, like what fills none.
entry triple [n] (rows : [n][3]i8) -> (r : i8) =
  let (xs : [3 * n]i8) = reshape [3 * n] rows
  let (s : i8) = kernel i < 3 * n reduce (\ (a : i8) (b : i8) ->
    let (c : i8) = a + b
    in (c)) (0i8) do
    let (x : i8) = xs[i]
    in (x)
  in (s)

-- Not so: the operands are crossed; a quotient may trap.
entry crossed [n] (xs : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) = kernel i < n reduce
    (\ (a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
    let (a3 : i64) = a1 + b2
    let (b3 : i64) = b1 + b2
    in (a3, b3)) (0, 0) do
    let (x : i64) = xs[i]
    in (x, x)
  in (sa, sb)

entry quotient [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce comm (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (x : i64) = xs[i]
    let (y : i64) = 100 / (x * x + 1)
    in (y)
  in (s)

-- The operator chooses between its operands; in the second one the choice may trap.
entry choice [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce comm (\ (a : i32) (b : i32) ->
    let (less : bool) = a < b
    let (c : i32) = if less then in (a) else
      let (d : i32) = b + 0i32
      in (d)
    in (c)) (100i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)

entry quotient_chosen [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) = kernel i < n reduce comm (\ (a : i32) (b : i32) ->
    let (less : bool) = a < b
    let (c : i32) = if less then in (a) else
      let (d : i32) = b / 1i32
      in (d)
    in (c)) (100i32) do
    let (x : i32) = xs[i]
    in (x)
  in (s)
