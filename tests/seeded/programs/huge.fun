-- An empty array whose row has more than 2^32 elements.
entry main [n] (a : [n][65536][65537]u8) -> (k : i64) =
  let (k2 : i64) = n
  in (k2)
