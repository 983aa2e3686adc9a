-- opaque and trace give back their argument, whatever its type.
-- ==
-- entry: unchanged
-- input { 3 [1f32, 2f32] } output { 3 [1f32, 2f32] [2f32, 1f32] }
-- input { -1 empty([0]f32) } output { -1 empty([0]f32) empty([0]f32) }

-- ==
-- entry: inside
-- input { [1, 2, 3] } output { [3, 5, 7] }

entry unchanged [n] (x: i32) (ys: [n]f32) = (trace (opaque x), opaque ys, trace (reverse ys))
entry inside [n] (xs: [n]i32) =
  let ys = opaque (map (* 2) xs)
  in map (\y -> opaque (y + 1)) ys
