-- A slice of one element of such a slice: an i64 is returned along with it, and the stride is 2^80.
entry main [n] (c : bool) (xs : [n]i64) -> (r : i64) =
  let (y : [1]i64) = if c then
      let (a : [1]i64) = xs[0 : 1 : 1099511627776]
      let (b : [1]i64) = a[0 : 1 : 1099511627776]
      in (b)
    else
      let (d : [1]i64) = xs[1 : 1]
      in (d)
  let (v : i64) = y[0]
  in (v)
