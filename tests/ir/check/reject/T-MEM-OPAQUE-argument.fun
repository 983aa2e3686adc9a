-- T-MEM-OPAQUE: an argument of foreign code is no whole block
entry f [n] [m : mem] (xs : [n]f32 @ m -> 0 + {(n : 1)}) -> [k : mem] (r : [n]f32 @ k -> 0 + {(n : 1)}) =
  let (sx : [n]f32 @ m -> n - 1 + {(n : -1)}) = reverse 0 xs
  let (b : mem) = alloc 4*n
  let (ys : [n]f32 @ b -> 0 + {(n : 1)}) = opaque rev (n, sx) grid [n]
  in (b, ys)
