-- A call whose result nothing uses, and which may trap.
def divided (x : i64) (y : i64) -> (r : i64) =
  let (q : i64) = x / y
  in (q)

entry main (d : i64) -> (r : i64) =
  let (q : i64) = call divided (100, d) partial
  let (e : i64) = d + 1
  in (e)
