-- A loop may carry an array whose size changes: shrinking by filter, growing by concatenation.
-- ==
-- input { 30i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }
-- input { 2i64 } output { empty([0]i64) }
-- input { 3i64 } output { [2i64] }

def main (n: i64) : []i64 =
  let (primes, _) =
    loop (primes, candidates) = ([], drop 2 (iota n)) while length candidates > 0 do
      let p = candidates[0]
      in (primes ++ [p], filter (\c -> c % p != 0) candidates)
  in primes

-- ==
-- entry: doubling
-- input { 3 } output { [1, 2, 2, 3, 2, 3, 3, 4] }
-- input { 0 } output { [1] }

entry doubling (k: i32) : []i32 =
  loop xs = [1] for _i < k do xs ++ map (+ 1) xs

-- ==
-- entry: halving
-- input { [1, 2, 3, 4, 5] } output { 15 3 }
-- input { [7] } output { 7 0 }

entry halving [n] (xs: [n]i32) : (i32, i32) =
  let (ys, rounds) =
    loop (ys, rounds) = (xs, 0) while length ys > 1 do
      let h = (length ys + 1) / 2
      let padded = ys ++ replicate (2 * h - length ys) 0
      in (map2 (+) (take h padded) (drop h padded :> [h]i32), rounds + 1)
  in (ys[0], rounds)
