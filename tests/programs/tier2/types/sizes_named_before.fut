-- A size that was named before, by variables that are no longer in scope, is still checked.
def half (x: i64) : i64 = x / 2

-- ==
-- entry: claimed
-- input { 6i64 3i64 } output { [0i64, 1i64, 2i64] 3i64 }
-- input { 6i64 4i64 } error: cannot match shape

entry claimed (n: i64) (k: i64) : ([]i64, i64) =
  let z = (let m = n + 1 in i64.sum (iota (half m)))
  in (iota k :> [half (n + 1)]i64, z)

-- ==
-- entry: passed
-- input { 6i64 } output { [2i64, 2i64, 2i64] 3i64 }

entry passed (n: i64) : ([]i64, i64) =
  let z = (let m = n + 1 in i64.sum (iota (half m)))
  let a : [half (n + 1)]i64 = rep 2
  in (a, z)

-- ==
-- entry: by_length
-- input { [1i64, 2i64, 3i64] 1i64 } output { [0i64] 0i64 }
-- input { [1i64, 2i64, 3i64] 4i64 } error: cannot match shape

entry by_length [n] (xs: [n]i64) (k: i64) : ([]i64, i64) =
  let z = (let q = length xs in i64.sum (iota (q / 2)))
  in (iota k :> [n / 2]i64, z)

-- ==
-- entry: of_filtered
-- input { [5i64, -1i64, 6i64] 1i64 } output { [0i64] }
-- input { [5i64, -1i64, 6i64] 2i64 } error: cannot match shape

entry of_filtered (xs: []i64) (k: i64) : []i64 =
  let m = length (filter (> 0) xs)
  in iota k :> [m / 2]i64

-- ==
-- entry: in_rows
-- input { 6i64 3i64 } output { [[0i64, 1i64, 2i64], [0i64, 1i64, 2i64]] 6i64 }
-- input { 6i64 4i64 } error: cannot match shape

entry in_rows (n: i64) (k: i64) : ([][]i64, i64) =
  let z = loop acc = 0 for i < 2 do (let q = n in acc + i64.sum (iota (q // 2)))
  in (map (\_ -> iota k :> [n // 2]i64) (iota 2), z)
