-- `let [k] (ys: [k]t) = e` names a size that only the value knows.
-- ==
-- input { [1, -2, 3, -4] } output { 2i64 [1, 3] }
-- input { [-1] } output { 0i64 empty([0]i32) }
-- input { empty([0]i32) } output { 0i64 empty([0]i32) }

def main [n] (xs: [n]i32) : (i64, []i32) =
  let [k] (ys: [k]i32) = filter (> 0) xs
  in (k, ys)

-- ==
-- entry: uses_the_size
-- input { [5i64, 0i64, 7i64] } output { [0i64, 5i64] }
-- input { [0i64] } output { empty([0]i64) }

entry uses_the_size [n] (xs: [n]i64) : []i64 =
  let [k] (ys: [k]i64) = filter (!= 0) xs
  let positions: [k]i64 = iota k
  in map2 (\i _ -> i * 5) positions ys

-- ==
-- entry: two_sizes
-- input { 2i64 3i64 } output { [3i64, 2i64] }
-- input { 0i64 3i64 } output { [3i64, 0i64] }

entry two_sizes (n: i64) (m: i64) : [2]i64 =
  let [a] [b] (_: [a][b]i64) = transpose (replicate n (iota m))
  in [a, b]

-- ==
-- entry: in_tuple
-- input { 4i64 } output { 4i64 4i64 }

entry in_tuple (n: i64) : (i64, i64) =
  let [k] (xs: [k]i64, ys: [k]i64) = unzip (zip (iota n) (replicate n 1))
  in (k, i64.sum ys + 0 * i64.sum xs)

-- ==
-- entry: of_a_payload
-- input { 3i64 true } output { 3i64 4i64 }
-- input { 3i64 false } output { 3i64 4i64 }
-- input { 0i64 false } output { 0i64 1i64 }

type list [n] = #many ([n]i32) | #none

def made (n: i64) (b: bool) : list [n] = if b then #many (replicate n 1) else #none

def size (x: list []) : i64 = let [n] (_: list [n]) = x in n

entry of_a_payload (n: i64) (b: bool) : (i64, i64) =
  let [k] (_: [2](list [k])) = replicate 2 (made (n + 1) b)
  in (size (made n b), k)
