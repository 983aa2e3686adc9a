-- T-CALL: a function calls itself
def down (x : i64) -> (r : i64) =
  let (y : i64) = call down (x) partial
  in (y)

entry f (x : f32) -> (r : f32) =
  in (x)
