-- T-FUNCTION: a function calls a foreign function
def half (x : f32) -> (r : f32) =
  let (y : f32) = call weigh (x) foreign
  in (y)

entry f (x : f32) -> (r : f32) =
  in (x)
