-- The cheapest way from the first to the last row of a grid, by dynamic programming (Rodinia).
-- ==
-- input { [[1, 5, 2, 9], [4, 1, 7, 3], [2, 8, 6, 1]] }
-- output { [4i32, 10i32, 8i32, 6i32] }
-- input { [[3]] }
-- output { [3i32] }

entry main [rows] [columns] (wall: [rows][columns]i32) : [columns]i32 =
  loop best = wall[0] for r in 1..<rows do
    tabulate columns (\j ->
      let left = if j > 0 then best[j - 1] else i32.highest
      let right = if j < columns - 1 then best[j + 1] else i32.highest
      in wall[r, j] + i32.min best[j] (i32.min left right))
