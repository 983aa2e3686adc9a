-- T-CALL: a call of a partial function without partial
def ratio (x : i64) (y : i64) -> (r : i64) =
  let (q : i64) = x / y
  in (q)

entry f (x : i64) -> (r : i64) =
  let (y : i64) = call ratio (x, x)
  in (y)
