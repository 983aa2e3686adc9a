-- A product of sizes is taken apart where a factor is itself a product that has a name.
-- ==
-- entry: main
-- input { [[true, false], [false, true]] }
-- output { [[[1, 1], [1, 1]], [[1, 1], [1, 1]]] }
-- input { [[false]] } output { empty([1][0][0]i32) }
-- input { [[true]] } output { [[[1]]] }

entry main [n] (xss: [n][n]bool) =
  let [m] (_: [m]bool) = flatten (filter head xss)
  in unflatten_3d (replicate (n * m * m) 1i32)
