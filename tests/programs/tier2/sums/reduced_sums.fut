-- Sum values are elements of reduce, scan and reduce_by_index with an own associative operator.
-- ==
-- input { [1, 2, 2, 3] } output { true }
-- input { [1, 3, 2] } output { false }
-- input { [7] } output { true }
-- input { empty([0]i32) } output { true }

type run = #empty | #sorted i32 i32 | #unsorted

def join (a: run) (b: run) : run =
  match (a, b)
  case (#empty, _) -> b
  case (_, #empty) -> a
  case (#sorted l m, #sorted m' h) -> if m <= m' then #sorted l h else #unsorted
  case _ -> #unsorted

def sorted [n] (xs: [n]i32) : run = reduce join #empty (map (\x -> #sorted x x) xs)

def main [n] (xs: [n]i32) : bool = sorted xs != #unsorted

-- ==
-- entry: prefixes
-- input { [1, 2, 0, 5] } output { [true, true, false, false] }
-- input { empty([0]i32) } output { empty([0]bool) }

entry prefixes [n] (xs: [n]i32) : [n]bool =
  scan join #empty (map (\x -> #sorted x x) xs) |> map (\(r: run) -> r != #unsorted)

-- ==
-- entry: per_bin
-- input { 2i64 [0i64, 1i64, 0i64, 1i64] [1, 9, 2, 3] } output { [1, 0] }
-- input { 1i64 empty([0]i64) empty([0]i32) } output { [2] }

entry per_bin [n] (k: i64) (bins: [n]i64) (xs: [n]i32) : [k]i32 =
  reduce_by_index (replicate k (#empty : run)) join #empty bins (map (\x -> #sorted x x) xs)
  |> map (\r -> match r case #unsorted -> 0 case #sorted _ _ -> 1 case #empty -> 2)
