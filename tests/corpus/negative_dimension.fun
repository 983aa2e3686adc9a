-- A kernel that allocates, over a size that may be negative: it traps even where a loop is empty.
entry main (n : i64) (k : i64) (l : i64) -> (r : i64) =
  let (d : i64) = n - k
  let (sum : i64) = kernel i < d reduce (\ (p : i64) (q : i64) ->
      let (pq : i64) = p + q
      in (pq)) (0) do
    let (two : [2]i64) = [i, l] : i64
    let (len : i64) = two[1]
    let (a : [len + 1]i64) = iota [len + 1] i 1
    let (x : i64) = a[len]
    in (x)
  in (sum)
