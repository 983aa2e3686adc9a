-- Three arrays are handed round, and two of them are one at first; what is left of it is updated.
entry main [n] (xs : [n]i64) (k : i64) -> (r : [n]i64) (s : [n]i64) =
  let (x0 : [n]i64) = iota [n] 5 1
  let (y0 : [n]i64) = iota [n] 9 2
  let (a1 : [n]i64) (b1 : [n]i64) (c1 : [n]i64) =
    loop (a : [n]i64) = x0, (b : [n]i64) = x0, (c : [n]i64) = y0 for i < k do
      in (b, c, a)
  let (y : [n]i64) = copy a1
  let (b2 : [n]i64) = b1 with [0] = 7
  in (y, b2)
