-- Copies of a row are what the row was: it may be updated afterwards, while they are still read.
-- ==
-- entry: rows
-- input { [1, 2, 3] 2i64 } output { [1, 1, 99, 2, 3] }
-- input { [1] 0i64 } output { [99] }

-- ==
-- entry: rows_of_rows
-- input { [1, 2, 3] 1i64 } output { [1, 2, 3, 1, 2, 3, 99, 2, 3] }
-- input { [1] 0i64 } output { [99] }

-- ==
-- entry: in_a_branch
-- input { [1, 2, 3] true } output { [6, 6] 96 }
-- input { [1, 2, 3] false } output { [6, 6] 6 }

-- ==
-- entry: in_a_loop
-- input { [1, 2, 3] } output { [6, 12, 18] }

entry rows [n] (xs: [n]i32) (m: i64) : []i32 =
  let row = copy xs
  let rows = replicate m row
  let row = row with [0] = 99
  in map (\(q: [n]i32) -> q[0]) rows ++ row

entry rows_of_rows [n] (xs: [n]i32) (m: i64) : []i32 =
  let row = copy xs
  let rows = replicate m row
  let row = row with [0] = 99
  in flatten (flatten (replicate 2 rows)) ++ row

entry in_a_branch [n] (xs: [n]i32) (c: bool) : ([]i32, i32) =
  let row = copy xs
  let rows = replicate 2 row
  let row = if c then row with [0] = 91 else row
  in (map (\q -> reduce (+) 0 q) rows, reduce (+) 0 row)

entry in_a_loop [n] (xs: [n]i32) : []i32 =
  let row = map (\x -> 2 * x) xs
  let rows = replicate 2 row
  in loop acc = row for i < n do
       acc with [i] = acc[i] + reduce (+) 0 (map (\(q: [n]i32) -> q[i]) rows)
