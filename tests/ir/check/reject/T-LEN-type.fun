-- T-LEN: an array has no negative number of elements (errata 11)
entry f (x : [-2][-3]f32) -> (r : i64) =
  in (0)
