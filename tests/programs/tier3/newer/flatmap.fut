-- `flatmap f xs` joins the arrays that `f` makes of the elements, whatever their sizes.
-- ==
-- input { [4i64, 0i64, 6i64] } output { [0i64, 2i64, 0i64, 2i64, 4i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) }

def main (ns: []i64) : []i64 = flatmap (\n -> filter (\i -> i % 2 == 0) (iota n)) ns

-- ==
-- entry: pairs
-- input { 4i64 } output { [0i64, 0i64, 0i64, 1i64, 1i64, 2i64] [1i64, 2i64, 3i64, 2i64, 3i64, 3i64] }
-- input { 1i64 } output { empty([0]i64) empty([0]i64) }

entry pairs (n: i64) : ([]i64, []i64) =
  unzip (flatmap (\i -> map (\j -> (i, j)) (filter (> i) (iota n))) (iota n))

-- ==
-- entry: conditional
-- input { [5, -3, 2] } output { [5, 5, 2, 2] }
-- input { [-3] } output { empty([0]i32) }

entry conditional (xs: []i32) : []i32 = flatmap (\x -> if x > 0 then [x, x] else []) xs
