-- A size that occurs only inside the tuples of a nested array is found there, also if there is none.
-- ==
-- entry: main
-- input { 2i64 3i64 4i64 } output { 4i64 }
-- input { 0i64 3i64 4i64 } output { 4i64 }
-- input { 1i64 0i64 4i64 } output { 4i64 }
-- input { 2i64 3i64 0i64 } output { 0i64 }

-- ==
-- entry: within
-- input { 2i64 3i64 4i64 } output { 4i64 }
-- input { 0i64 1i64 1i64 } output { 1i64 }

-- ==
-- entry: inner
-- input { [[[1, 2], [3, 4], [5, 6]]] } output { 2i64 2i64 2i64 }
-- input { empty([1][1][0]i32) } output { 0i64 0i64 0i64 }

def width [k] (xss: [][]([k]i32, bool)) : i64 = k

def depth [k] (xss: [][][](bool, [1][](i32, [k]i32))) : i64 = k

entry main (a: i64) (b: i64) (k: i64) : i64 =
  width (replicate a (replicate b (replicate k 1, true)))

entry within (a: i64) (b: i64) (k: i64) : i64 =
  depth (replicate 2 (replicate a (replicate b (true, [replicate a (1, replicate k 1)]))))

entry inner [a] [b] [c] (xsss: [a][b][c]i32) : (i64, i64, i64) =
  let pairs = map (map (\xs -> (xs, true))) xsss
  let f [k] (yss: [][]([k]i32, bool)) : i64 = k
  let [k] (_: [a][b]([k]i32, bool)) = pairs
  in (f pairs, f (pairs ++ pairs), k)
