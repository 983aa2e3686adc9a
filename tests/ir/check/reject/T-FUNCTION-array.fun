-- T-FUNCTION: a parameter is an array
def first (xs : [3]f32) -> (r : f32) =
  in (1.0f32)

entry f (x : f32) -> (r : f32) =
  in (x)
