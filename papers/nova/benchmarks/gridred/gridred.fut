-- The least and the greatest number of a grid whose rows are padded: only so many columns count.
-- ==
-- input { 2i64 [[1f32, 2f32, 9f32], [-3f32, 0f32, -9f32]] } output { -3f32 2f32 }
-- input { 0i64 [[1f32], [2f32]] } output { f32.inf -f32.inf }
-- input { 2i64 [[1f32], [2f32]] } error: out of bounds

def both (a: (f32, f32)) (b: (f32, f32)) : (f32, f32) = (f32.min a.0 b.0, f32.max a.1 b.1)

entry main [h] [pitch] (width: i64) (grid: [h][pitch]f32) : (f32, f32) =
  grid[:, :width]
  |> map (map (\x -> (x, x)) >-> reduce_comm both (f32.inf, -f32.inf))
  |> reduce_comm both (f32.inf, -f32.inf)
