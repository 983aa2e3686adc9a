-- T-CALL: the pattern binds one name too many
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

entry f (x : f32) -> (r : f32) =
  let (y : f32) (z : f32) = call half (x)
  in (y)
