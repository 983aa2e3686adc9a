-- `partition` splits in two parts and keeps the order within each.
-- ==
-- input { [5, -1, 0, 3, -2] } output { [5, 3] [-1, 0, -2] }
-- input { [1] } output { [1] empty([0]i32) }
-- input { [-1] } output { empty([0]i32) [-1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) : ([]i32, []i32) = partition (> 0) xs

-- ==
-- entry: sizes
-- input { 10i64 4i64 } output { 4i64 6i64 }
-- input { 3i64 9i64 } output { 3i64 0i64 }

entry sizes (n: i64) (limit: i64) : (i64, i64) =
  let (below, above) = partition (< limit) (iota n)
  in (length below, length above)

-- ==
-- entry: rejoined
-- input { [4, 1, 3, 2] } output { [4, 2, 1, 3] }
-- input { [1] } output { [1] }

entry rejoined [n] (xs: [n]i32) : [n]i32 =
  let (even, odd) = partition (\x -> x % 2 == 0) xs
  in even ++ odd :> [n]i32

-- ==
-- entry: by_key
-- input { [1, 2, 3] [true, false, true] } output { [1, 3] [2] }

entry by_key [n] (xs: [n]i32) (ks: [n]bool) : ([]i32, []i32) =
  let (yes, no) = partition (.key) (map2 (\x key -> {x, key}) xs ks)
  in (map (.x) yes, map (.x) no)
