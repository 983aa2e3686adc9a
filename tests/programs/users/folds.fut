-- Folds from the left and the right, with accumulators of other types.
-- ==
-- input { [1, 2, 3] } output { 123i64 [6i32, 4i32, 2i32] 4.250000000000000f64 }
-- input { empty([0]i32) } output { 0i64 empty([0]i32) 0.000000000000000f64 }

def main (xs: []i32) : (i64, []i32, f64) =
  let digits = foldl (\acc x -> 10 * acc + i64.i32 x) 0 xs
  let backwards = loop acc = [] for x in reverse xs do acc ++ [x * 2]
  in (digits, backwards, foldl (\acc x -> acc / 2 + f64.i32 x) 0 xs)
