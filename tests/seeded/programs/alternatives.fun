-- Of three alternatives one is ruled out, and of one nobody knows anything.
entry main (n : i64) (k : i64) (k1 : i64) (x : bool) -> (r : bool) =
  let (a : bool) = k1 < 3
  let (t : bool) = a || x
  let (d : bool) = k < n
  let (c : bool) = t || d
  let (b : bool) = k1 >= 3
  assert b "b"
  assert c "c"
  let (e : bool) = k <= n
  in (e)
