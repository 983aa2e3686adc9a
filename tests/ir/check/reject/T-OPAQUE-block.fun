-- T-OPAQUE: foreign code on arrays takes a block
entry f [n] [m : mem] (xs : [n]f32 @ m -> 0 + {(n : 1)}) -> [k : mem] (r : [n]f32 @ k -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 4*n
  let (ys : [n]f32 @ b -> 0 + {(n : 1)}) = opaque rev (n, m) grid [n]
  in (b, ys)
