-- A length that turns out other than the type promises traps where it is claimed.
-- ==
-- entry: claim
-- input { 3i64 [1, 2, 3] } output { [1, 2, 3] }
-- input { 2i64 [1, 2, 3] } error: \[3\].*\[2\]
-- input { 0i64 empty([0]i32) } output { empty([0]i32) }
-- input { -1i64 empty([0]i32) } error: \[0\].*\[-1\]

-- ==
-- entry: together
-- input { [1, 2] [3, 4] } output { [4, 6] }
-- input { [1, 2] [3] } error: .
-- input { empty([0]i32) [3] } error: .

-- ==
-- entry: computed
-- input { [1, 2, 3, 4] } output { [4, 6] }
-- input { [1, 2, 3] } error: \[3\].*\[2\]

entry claim (n: i64) (xs: []i32) = sized n xs
entry together [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
entry computed [n] (xs: [n]i32) =
  let half = n / 2
  let evens = sized (half + half) xs
  let (a, b) = split evens : ([half]i32, [half]i32)
  in map2 (+) a b
