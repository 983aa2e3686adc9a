-- A branch for small n makes n*n*n elements; for a large n, whose cube no memory holds, another one
-- is taken.
entry main (n : i64) (k : i64) -> (r : i64) =
  let (small : bool) = n < 100
  let (t : i64) = loop (s : i64) = 0 for i < k do
    let (v : i64) = if small then
      let (cube : [n*n*n + 1]i64) = kernel j < n*n*n + 1 do
        let (y : i64) = j + i
        in (y)
      let (x : i64) = cube[n * n]
      in (x)
    else
      in (i)
    let (s1 : i64) = s + v
    in (s1)
  in (t)
