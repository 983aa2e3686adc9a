-- Branches whose arrays differ in size say nothing about the sizes of parameters.
-- ==
-- input { [1, 2, 3] } output { [1, 2, 3] [2, 3] [2, 3, 4] }
-- input { empty([0]i32) } output { [7] [1, 2] [1, 2] }

def ensured xs = if null xs then [7i32] else xs
def shortened (xs: []i32) = if length xs > 2 then xs[1:] else [1, 2] ++ xs
def counted xs = match length xs case 0 -> [1i32, 2] case _ -> map (+ 1) xs

def main (xs: []i32) : ([]i32, []i32, []i32) = (ensured xs, shortened xs, counted xs)

-- ==
-- entry: together
-- input { [1, 2, 3] true } output { [2, 4, 6] }
-- input { [1, 2, 3] false } output { [4, 6] }

-- Two arrays of one size in each branch have one size afterwards.
entry together (xs: []i32) (all: bool) : []i32 =
  let (ys, zs) = if all then (xs, copy xs) else let late = xs[1:] in (late, map id late)
  in map2 (+) ys zs

-- ==
-- entry: emptied
-- input { [1, 2, 3] true } output { empty([0]i32) 3i64 }
-- input { [1, 2, 3] false } output { [1, 2, 3] 0i64 }

entry emptied (xs: []i32) (b: bool) : ([]i32, i64) =
  (if b then [] else xs, length (if b then xs else []))
