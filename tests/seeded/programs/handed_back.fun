-- Operators on rows that hand an operand back: the first row whose first element is not zero.
entry main [n] [w] (h : *[w][2]i32) (xs : [n][2]i32) -> (r : [w][2]i32) (z : [2]i32) =
  let (zeros : [2]i32) = replicate [2] 0i32
  let (s : [2]i32) = kernel i < n reduce (\ (a : [2]i32) (b : [2]i32) ->
    let (u : i32) = a[0]
    let (some : bool) = u != 0i32
    let (c : [2]i32) = if some then in (a) else in (b)
    in (c)) (zeros) do
    let (row : [2]i32) = xs[i, 0 : 2]
    in (row)
  let (t : [2]i32) = s with [1] = 7i32
  let (k : [w][2]i32) = kernel j < n hist (h) (\ (d : [2]i32) (e : [2]i32) ->
    let (v : i32) = d[0]
    let (full : bool) = v != 0i32
    let (f : [2]i32) = if full then in (d) else in (e)
    in (f)) (zeros) do
    let (line : [2]i32) = xs[j, 0 : 2]
    in (0, line)
  in (k, t)
