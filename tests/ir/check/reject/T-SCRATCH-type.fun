-- T-SCRATCH: another element type
entry f (n : i64) -> (r : i64) =
  let (z : [n]f32) = scratch [n] f64
  in (n)
