-- So many iterations never end, but the first one may trap.  (S2): n plus the number of threads
-- does not fit i64.
entry sum [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (d)
  in (s)

entry counts [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (s : [w]i64) = kernel i < n hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (i, d)
  in (s)

-- Sizes are exact.  What does not fit i64 comes after the chunks, in order.
entry sum4 [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (s : i64) = kernel i < 4 * n reduce (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (d)
  in (s)

entry counts4 [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (s : [w]i64) = kernel i < 4 * n hist (h) (\ (a : i64) (b : i64) ->
    let (c : i64) = a + b
    in (c)) (0) do
    let (d : i64) = i / z
    in (i, d)
  in (s)
