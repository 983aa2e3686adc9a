-- An array of no elements lies backwards; as the reshape of it, which is the same array, it does not.
entry main (n : i64) -> (r : [1][0]i8) (s : [0]i8) =
  let (zeros : [0]i8) = replicate [0] 1i8
  let (v : [0]i8) = reshape [0] zeros
  let (z : [0]i8) = loop (w : [0]i8) = v for j < n do
    in (zeros)
  let (x : [1][0]i8) = [z] : [0]i8
  let (back : [0]i8) = reverse 0 zeros
  in (x, back)
