-- What a polymorphic function says of shapes names the types that it is used at.
-- ==
-- entry: numbers
-- input { [1i64, 2i64, 3i64] } error: shape \[3\] cannot match shape of type "\[2\]i64"

-- ==
-- entry: pairs
-- input { [1i64, 2i64, 3i64] } error: shape \[3\] cannot match shape of type "\[2\]\(i64, bool\)"

-- ==
-- entry: records
-- input { [1i64, 2i64, 3i64] } error: cannot match shape of type "\[2\]\{x: bool, y: i64\}"

-- ==
-- entry: library
-- input { [1i64, 2i64, 3i64] } error: cannot match shape of type "\[2\]i64"

type labelled 'a = {y: a, x: bool}

def claim [n] 'a (k: i64) (xs: [n]a) : [k]a = xs :> [k]a

def label [n] 'a (k: i64) (xs: [n]a) : [k](labelled a) =
  map (\y -> {x = true, y}) xs :> [k](labelled a)

entry numbers (xs: []i64) = claim 2 xs
entry pairs (xs: []i64) = claim 2 (map (\x -> (x, x > 1)) xs) |> map (.0)
entry records (xs: []i64) = map (.y) (label 2 xs)
entry library (xs: []i64) = sized 2 xs
