-- Scans inside maps, alone and with what comes before and after them.
-- ==
-- entry: row_sums
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] [[1, 2, 3], [5, 7, 9]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) empty([0][2]i32) }
-- input { empty([2][0]i32) } output { empty([2][0]i32) empty([2][0]i32) }

-- ==
-- entry: normalised
-- input { [[1.0, 3.0], [2.0, 2.0]] } output { [[0.25, 1.0], [0.5, 1.0]] }

-- ==
-- entry: ranks
-- input { [[true, false, true], [false, false, true]] } output { [[0, -1, 1], [-1, -1, 0]] }

-- ==
-- entry: compact_rows
-- input { [[1, 0, 2], [0, 0, 3]] } output { [[1, 2, 0], [3, 0, 0]] }

entry row_sums [n] [m] (xss: [n][m]i32) =
  (map (scan (+) 0) xss, transpose (map (scan (+) 0) (transpose xss)))
entry normalised [n] [m] (xss: [n][m]f64) =
  map (\xs -> let total = f64.sum xs in scan (+) 0 (map (/ total) xs)) xss
entry ranks [n] [m] (bss: [n][m]bool) =
  map (\bs -> map2 (\b r -> if b then r - 1 else -1) bs (scan (+) 0 (map i32.bool bs))) bss
entry compact_rows [n] [m] (xss: [n][m]i32) =
  map (\xs -> let places = scan (+) 0 (map (\x -> i64.bool (x != 0)) xs)
              in scatter (replicate m 0) (map2 (\x p -> if x != 0 then p - 1 else -1) xs places) xs) xss
