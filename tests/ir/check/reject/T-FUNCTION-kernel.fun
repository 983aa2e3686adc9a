-- T-FUNCTION: a kernel in a function
def sum (n : i64) -> (r : i64) =
  let (s : i64) = kernel i < n reduce
    (\(a : i64) (b : i64) -> let (c : i64) = a + b in (c)) (0)
  do
    in (i)
  in (s)

entry f (x : f32) -> (r : f32) =
  in (x)
