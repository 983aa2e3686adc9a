-- (2) How large the destination's block is, is computed from the piece.
-- done: concat of c
-- refused: (2) concat of b: e, which w_mem_1 needs, is bound after b is made
entry main [n] (xs : [n]i64) -> (r : i64) =
  let (b : [n]i64) = kernel i < n do
    let (x : i64) = xs[i]
    let (y : i64) = x % 4
    in (y)
  let (e : i64) = b[0]
  let (c : [e]i64) = replicate [e] 1
  let (w : [n + e]i64) = concat 0 b c
  let (last : i64) = w[n]
  in (last)
