-- The next value is part of a larger block: the initial value's block cannot be exchanged for it.
entry main [n] (a : *[n]u8) -> (r : [n]u8) =
  let (z : [n]u8) = loop (w : [n]u8) = a for j < n do
    let (x : [2*n]u8) = iota [2*n] 0u8 1u8
    let (v : [n]u8) = x[0 : n]
    in (v)
  in (z)
