-- Run-length coding and decoding: polymorphic, with existential sizes in both directions.
-- ==
-- input { [7, 7, 7, 1, 2, 2] } output { [7, 1, 2] [3i64, 1i64, 2i64] }
-- input { [5] } output { [5] [1i64] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i64) }

type run 'a = {value: a, length: i64}

def encode 'a [n] (same: a -> a -> bool) (xs: [n]a) : ?[k].[k](run a) =
  let starts = filter (\i -> i == 0 || !same xs[i - 1] xs[i]) (iota n)
  let [k] (starts: [k]i64) = starts
  let ends = map (\r -> if r + 1 < k then starts[r + 1] else n) (iota k)
  in map2 (\s e -> {value = xs[s], length = e - s}) starts ends

def decode 'a [k] (zero: a) (runs: [k](run a)) : []a =
  let offsets = scan (+) 0 (map (.length) runs)
  let total = if k == 0 then 0 else offsets[k - 1]
  let at = map2 (\o r -> o - r.length) offsets runs
  let marks = reduce_by_index (replicate total 0) i64.max 0 at (map2 (\i _ -> i) (iota k) runs)
  let owner = scan i64.max 0 marks
  in if k == 0 then replicate total zero else map (\i -> runs[i].value) owner

def main [n] (xs: [n]i32) : ([]i32, []i64) =
  let runs = encode (==) xs
  in (map (.value) runs, map (.length) runs)

-- ==
-- entry: round_trip
-- input { [7, 7, 7, 1, 2, 2] } output { true }
-- input { [5] } output { true }
-- input { empty([0]i32) } output { true }

entry round_trip [n] (xs: [n]i32) : bool =
  let ys = decode 0 (encode (==) xs)
  in length ys == n && and (map2 (==) xs (ys :> [n]i32))

-- ==
-- entry: of_booleans
-- input { [true, true, false] } output { [true, false] [2i64, 1i64] }

entry of_booleans [n] (xs: [n]bool) : ([]bool, []i64) =
  let runs = encode (\a b -> a == b) xs
  in (map (.value) runs, map (.length) runs)
