-- `(.[i])` is the function that indexes its argument; so are several indices, and slices.
-- ==
-- entry: main
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 } output { [3, 6] [2, 5] [[2, 3], [5, 6]] [[3, 2, 1], [6, 5, 4]] 6 }
-- input { [[7, 8]] 1i64 } error: out of bounds

entry main [n] [m] (xss: [n][m]i32) (i: i64) =
  ( map (.[i]) xss
  , map (.[m / 2]) xss
  , xss |> (.[:, 1:])
  , xss |> (.[:, ::-1])
  , xss |> (.[1, 2]) )
