-- Conway's game of life on a torus.
-- ==
-- input { 1 [[false, true, false], [false, true, false], [false, true, false]] }
-- output { [[true, true, true], [true, true, true], [true, true, true]] }
-- input { 2 [[false, false, false, false, false],
--            [false, false, true, false, false],
--            [false, false, true, false, false],
--            [false, false, true, false, false],
--            [false, false, false, false, false]] }
-- output { [[false, false, false, false, false],
--           [false, false, true, false, false],
--           [false, false, true, false, false],
--           [false, false, true, false, false],
--           [false, false, false, false, false]] }
-- input { 0 [[true]] } output { [[true]] }
-- input { 3 empty([0][4]bool) } output { empty([0][4]bool) }

-- The sums of each element with its two neighbours along the first dimension.
def three [n] [m] (c: [n][m]i8) : [n][m]i8 =
  map3 (map3 (\above here below -> above + here + below)) (rotate (-1) c) c (rotate 1 c)

-- Rows first, then columns: the square around each cell, itself included.
def crowd [n] [m] (c: [n][m]i8) : [n][m]i8 = c |> three |> transpose |> three |> transpose

-- With the cell itself counted, three means alive, four means no change, all else means dead.
def step [n] [m] (cells: [n][m]bool) : [n][m]bool =
  map2 (map2 (\alive around -> around == 3 || (alive && around == 4)))
       cells (crowd (map (map i8.bool) cells))

def main [n] [m] (generations: i32) (cells: [n][m]bool) : [n][m]bool =
  iterate generations step cells

-- ==
-- entry: glider_returns
-- input { 8i64 } output { true 5i64 }
-- input { 12i64 } output { true 5i64 }

-- A glider moves by one cell every four generations: on a torus of n by n it is back after 4 n.
entry glider_returns (n: i64) : (bool, i64) =
  let glider = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
  let start = scatter_2d (replicate n (replicate n false)) glider (replicate 5 true)
  let end = iterate (4 * i32.i64 n) step start
  in (start == end, i64.sum (map i64.bool (flatten end)))

-- ==
-- entry: period
-- input { [[false, false, false, false, false],
--          [false, false, true, false, false],
--          [false, false, true, false, false],
--          [false, false, true, false, false],
--          [false, false, false, false, false]] } output { 2 }
-- input { [[false]] } output { 1 }

-- After how many generations the first picture comes back; -1 if not within a hundred.
entry period [n] [m] (cells: [n][m]bool) : i32 =
  let (now, k) = loop (now, k) = (step cells, 1) while k < 100 && now != cells do (step now, k + 1)
  in if now == cells then k else -1
