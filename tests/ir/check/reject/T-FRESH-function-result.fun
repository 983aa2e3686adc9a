-- T-FRESH: a result of a function has the name of a parameter
def half (x : f32) -> (x : f32) =
  in (x)

entry f (x : f32) -> (r : f32) =
  in (x)
