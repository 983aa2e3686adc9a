-- An image convolved with a small odd square; pixels outside are those at the border.
-- ==
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[0f32, 1f32, 0f32], [1f32, -4f32, 1f32], [0f32, 1f32, 0f32]] }
-- output { [[4.0f32, 3.0f32, 2.0f32], [-2.0f32, -3.0f32, -4.0f32]] }
-- input { [[7f32]] [[2f32]] }
-- output { [[14.0f32]] }

def clamp (low: i64) (high: i64) (x: i64) : i64 = i64.min high (i64.max low x)

entry main [h] [w] [k] (image: [h][w]f32) (weights: [k][k]f32) : [h][w]f32 =
  let pixel i j =
    loop sum = 0 for di < k do
      loop sum for dj < k do
        let y = clamp 0 (h - 1) (i + di - k / 2)
        let x = clamp 0 (w - 1) (j + dj - k / 2)
        in sum + weights[di, dj] * image[y, x]
  in tabulate_2d h w pixel
