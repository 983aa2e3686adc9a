-- The correlation matrix of the columns of a table (PolyBench).
-- ==
-- input { [[1.0, 2.0, 9.0], [2.0, 4.5, 1.0], [3.0, 5.5, 4.0], [4.0, 8.0, 0.0]] }
-- output { [[1.0f64, 0.9877629653290692f64, -0.766651877999928f64], [0.9877629653290692f64, 1.0f64, -0.8469470822763977f64], [-0.766651877999928f64, -0.8469470822763977f64, 1.0f64]] }
-- input { [[1.0, 2.0]] }
-- output { [[1.0f64, 0.0f64], [0.0f64, 1.0f64]] }

def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

entry main [n] [m] (table: [n][m]f64) : [m][m]f64 =
  let columns = transpose table
  let means = map mean columns
  let deviation xs mu =
    let s = f64.sqrt (mean (map (\x -> (x - mu) * (x - mu)) xs))
    in if s <= 0.1 then 1 else s
  let deviations = map2 deviation columns means
  let centred =
    map3 (\xs mu s -> map (\x -> (x - mu) / (f64.sqrt (f64.i64 n) * s)) xs) columns means deviations
  in tabulate_2d m m (\i j -> if i == j then 1 else f64.sum (map2 (*) centred[i] centred[j]))
