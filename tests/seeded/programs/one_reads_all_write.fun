-- A thread reads an element in a branch that no other takes; merge has all threads write where it lies.
entry main [n] (A : [n]i64) (k : i64) -> (r : [n]i64) =
  let (p : bool) = 0 <= k
  let (q : bool) = k < n
  assert p "p"
  assert q "q"
  let (x : [n]i64) = kernel i0 < n do
    let (a0 : i64) = A[i0]
    let (a1 : i64) = a0 + 1
    in (a1)
  let (y : [n]i64) = kernel i < n do
    let (c : bool) = i == k
    let (v : i64) = if c then
        let (s : i64) = x[k]
        let (t : [s]i64) = iota [s] 0 1
        let (w : i64) = kernel j < s reduce (\(a : i64) (b : i64) ->
          let (d : i64) = a + b
          in (d)) (0) do
          let (e : i64) = t[j]
          in (e)
        in (w)
      else
        in (7)
    in (v)
  in (y)
