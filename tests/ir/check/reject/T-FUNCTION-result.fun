-- T-FUNCTION: a result is an array
def three (x : f32) -> (r : [3]f32) =
  in (x)

entry f (x : f32) -> (r : f32) =
  in (x)
