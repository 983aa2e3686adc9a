-- A box filter: the mean of each pixel and its eight neighbours, where pixels outside are as the
-- nearest one inside.
-- ==
-- input { [[9f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 9f32]] }
-- output { [[4f32, 2f32, 0f32], [2f32, 2f32, 2f32], [0f32, 2f32, 4f32]] }
-- input { [[5f32]] } output { [[5f32]] }
-- input { empty([0][3]f32) } output { empty([0][3]f32) }

entry main [h] [w] (image: [h][w]f32) : [h][w]f32 =
  let at y x = image[i64.max 0 (i64.min (h - 1) y), i64.max 0 (i64.min (w - 1) x)]
  let row y x = at y (x - 1) + at y x + at y (x + 1)
  in tabulate_2d h w (\y x -> (row (y - 1) x + row y x + row (y + 1) x) / 9)
