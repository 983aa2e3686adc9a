-- Matrix products written as maps of reductions, as index arithmetic, and as sums of outer products.
-- ==
-- entry: by_rows by_index by_outer by_loop
-- input { [[1, 2], [3, 4]] [[5, 6], [7, 8]] } output { [[19, 22], [43, 50]] }
-- input { [[1, 2, 3]] [[1], [1], [1]] } output { [[6]] }
-- input { [[2]] [[3, -4]] } output { [[6, -8]] }
-- input { empty([0][2]i32) [[1], [2]] } output { empty([0][1]i32) }
-- input { empty([2][0]i32) empty([0][2]i32) } output { [[0, 0], [0, 0]] }

-- ==
-- entry: vector
-- input { [[1, 2], [3, 4], [5, 6]] [1, -1] } output { [-1, -1, -1] }
-- input { empty([0][2]i32) [1, 1] } output { empty([0]i32) }

entry by_rows [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  map (\row -> map (\col -> reduce (+) 0 (map2 (*) row col)) (transpose b)) a
entry by_index [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  tabulate_2d n k (\i j -> i32.sum (map (\l -> a[i, l] * b[l, j]) (iota m)))
entry by_outer [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  map2 (\c r -> map (\x -> map (x *) r) c) (transpose a) b
  |> reduce (map2 (map2 (+))) (replicate n (replicate k 0))
entry by_loop [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  loop c = replicate n (replicate k 0) for l < m do
    map2 (\row cs -> map2 (\x c -> c + row[l] * x) b[l] cs) a c
entry vector [n] [m] (a: [n][m]i32) (v: [m]i32) = map (\row -> map2 (*) row v |> i32.sum) a
