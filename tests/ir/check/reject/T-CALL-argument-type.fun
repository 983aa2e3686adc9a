-- T-CALL: the argument has another type
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

entry f (x : i64) -> (r : f32) =
  let (y : f32) = call half (x)
  in (y)
