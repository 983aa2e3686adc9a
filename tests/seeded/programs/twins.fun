-- x and y are equal until y is updated; so are b and its copy.
entry main [n] (a : [n]i32) -> (r : [n]i32) (s : [n]i32) (t : [n]i32) (u : [n]i32) =
  let (x : [n]i32) = replicate [n] 1i32
  let (y : [n]i32) = replicate [n] 1i32
  let (z : [n]i32) = y with [0 : n] = a
  let (b : [n]i32) = replicate [n] 2i32
  let (c : [n]i32) = copy b
  let (d : [n]i32) = b with [0 : n] = a
  in (x, z, c, d)
