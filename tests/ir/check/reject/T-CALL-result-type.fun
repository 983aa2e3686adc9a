-- T-CALL: the result has another type
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

entry f (x : f32) -> (r : f64) =
  let (y : f64) = call half (x)
  in (y)
