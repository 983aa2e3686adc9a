-- (3) Pieces of a vector: there is no other order of one dimension.
-- refused: (3) xs: it has only one dimension
entry main (n : i64) (k : i64) (xs : [k*n]i32) -> (sums : [n]i32) =
  let (sums1 : [n]i32) = kernel i < n do
    let (piece : [k]i32) = xs[i*k : k]
    let (sum : i32) = loop (s : i32) = 0i32 for j < k do
      let (x : i32) = piece[j]
      let (s1 : i32) = s * 3i32 + x
      in (s1)
    in (sum)
  in (sums1)
