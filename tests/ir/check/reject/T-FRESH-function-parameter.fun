-- T-FRESH: two parameters of a function have the same name
def half (x : f32) (x : f32) -> (r : f32) =
  in (x)

entry f (x : f32) -> (r : f32) =
  in (x)
