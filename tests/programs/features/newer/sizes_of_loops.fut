-- `loop [n] (xs: [n]t)`: the size of a loop's array has a name, and changes from turn to turn.
-- ==
-- entry: pyramid
-- input { [1, 2, 3, 4] } output { 20 4i64 }
-- input { [5] } output { 5 1i64 }

-- ==
-- entry: doubled
-- input { [1, 2] 2 } output { [1, 2, -1, -2, -1, -2, 1, 2] }
-- input { empty([0]i32) 3 } output { empty([0]i32) }
-- input { [9] 0 } output { [9] }

entry pyramid (xs: []i32) =
  let (ys, turns) =
    loop [n] (ys: [n]i32, turns: i64) = (xs, 1) while n > 1 do
      (map2 (+) (take (n - 1) ys) (drop 1 ys) :> [n - 1]i32, turns + 1)
  in (i32.sum ys, turns)

entry doubled (xs: []i32) (k: i32) : []i32 =
  loop [n] (ys: [n]i32) = xs for _i < k do
    (ys ++ map i32.neg ys :> [2 * n]i32)
