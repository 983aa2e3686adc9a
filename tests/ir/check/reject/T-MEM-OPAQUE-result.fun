-- T-MEM-OPAQUE: a result of foreign code is no whole block
entry f [n] [m : mem] (xs : [n]f32 @ m -> 0 + {(n : 1)}) -> [k : mem] (r : [n]f32 @ k -> 0 + {(n : 1)}) =
  let (b : mem) = alloc 4*n + 4
  let (ys : [n]f32 @ b -> 1 + {(n : 1)}) = opaque rev (n, xs) grid [n]
  let (c : mem) = alloc 4*n
  let (zs : [n]f32 @ c -> 0 + {(n : 1)}) = copy ys
  in (c, zs)
