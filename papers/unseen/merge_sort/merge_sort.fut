-- Merge sort, bottom up: each element finds its place in the other run by binary search.
-- ==
-- input { [5, 3, 9, 3, -1, 7, 0] }
-- output { [-1i32, 0i32, 3i32, 3i32, 5i32, 7i32, 9i32] }
-- input { [1] }
-- output { [1i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- The first position from `low` whose element does not come before.
def position [n] (before: i32 -> bool) (low: i64) (high: i64) (xs: [n]i32) : i64 =
  let (low, _) =
    loop (low, high) while low < high do
      let middle = (low + high) / 2
      in if before xs[middle] then (middle + 1, high) else (low, middle)
  in low

def merge_runs [n] (width: i64) (xs: [n]i32) : [n]i32 =
  let place i x =
    let start = i / (2 * width) * 2 * width
    let middle = i64.min n (start + width)
    let end = i64.min n (start + 2 * width)
    in if i < middle
       then i + position (< x) middle end xs - middle
       else i - middle + position (<= x) start middle xs
  in scatter (replicate n 0) (map2 place (iota n) xs) xs

entry main [n] (xs: [n]i32) : [n]i32 =
  let (xs, _) = loop (xs, width) = (xs, 1) while width < n do (merge_runs width xs, 2 * width)
  in xs
