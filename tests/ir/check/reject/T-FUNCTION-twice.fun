-- T-FUNCTION: two functions of one name
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

entry f (x : f32) -> (r : f32) =
  in (x)
