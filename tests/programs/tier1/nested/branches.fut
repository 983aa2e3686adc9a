-- `if` around and inside parallel operations.
-- ==
-- entry: outside
-- input { [1, 2, 3] true } output { [2, 4, 6] 6 }
-- input { [1, 2, 3] false } output { [1, 3, 6] -6 }
-- input { empty([0]i32) false } output { empty([0]i32) 0 }

-- ==
-- entry: inside
-- input { [[1, 2], [3, -4]] } output { [[2, 1], [3, -1]] [3, -1] }

-- ==
-- entry: costly
-- input { [4i64, -1i64, 3i64] } output { [6i64, -1i64, 3i64] }

entry outside [n] (xs: [n]i32) (double: bool) =
  ( if double then map (* 2) xs else scan (+) 0 xs
  , if double then reduce (+) 0 xs else -(reduce (+) 0 xs) )
entry inside [n] [m] (xss: [n][m]i32) =
  ( map (\xs -> if any (< 0) xs then scan (+) 0 xs else reverse xs) xss
  , map (\xs -> if i32.sum xs < 0 then i32.sum xs else 3) xss |> map2 (\xs s -> if xs[0] > 2 then i32.sum xs else s) xss )
entry costly [n] (ks: [n]i64) = map (\k -> if k < 0 then k else reduce (+) 0 (iota k)) ks
