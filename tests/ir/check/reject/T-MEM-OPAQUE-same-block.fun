-- T-MEM-OPAQUE: foreign code fills the block that it reads
entry f [n] [m : mem] (xs : [n]f32 @ m -> 0 + {(n : 1)}) -> [k : mem] (r : [n]f32 @ k -> 0 + {(n : 1)}) =
  let (ys : [n]f32 @ m -> 0 + {(n : 1)}) = opaque rev (n, xs) grid [n]
  in (m, ys)
