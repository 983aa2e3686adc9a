-- Speckle-reducing anisotropic diffusion of an ultrasonic image (Yu and Acton 2002; Rodinia srad).
-- ==
-- input { 2 0.5f32 [[1f32, 2f32, 3f32], [2f32, 4f32, 1.5f32], [3f32, 1f32, 2f32]] }
-- output { [[1.2146175f32, 2.1411784f32, 2.6508186f32], [2.070807f32, 3.453272f32, 1.9725649f32], [2.7493808f32, 1.5010455f32, 1.7463152f32]] }
-- input { 0 0.5f32 [[1f32]] }
-- output { [[1.0f32]] }

def step [n] [m] (lambda: f32) (image: [n][m]f32) : [n][m]f32 =
  let size = f32.i64 (n * m)
  let mean = f32.sum (flatten image) / size
  let variance = f32.sum (map (\x -> x * x) (flatten image)) / size - mean * mean
  let q0 = variance / (mean * mean)
  let differences i j =
    let x = image[i, j]
    in (image[i64.max 0 (i - 1), j] - x, image[i64.min (n - 1) (i + 1), j] - x,
        image[i, i64.max 0 (j - 1)] - x, image[i, i64.min (m - 1) (j + 1)] - x)
  let coefficient i j =
    let (north, south, west, east) = differences i j
    let x = image[i, j]
    let g2 = (north * north + south * south + west * west + east * east) / (x * x)
    let l = (north + south + west + east) / x
    let num = 0.5 * g2 - 1 / 16 * l * l
    let den = 1 + 0.25 * l
    let q = num / (den * den)
    let c = 1 / (1 + (q - q0) / (q0 * (1 + q0)))
    in f32.max 0 (f32.min 1 c)
  let c = tabulate_2d n m coefficient
  let pixel i j =
    let (north, south, west, east) = differences i j
    let c_south = c[i64.min (n - 1) (i + 1), j]
    let c_east = c[i, i64.min (m - 1) (j + 1)]
    let divergence = c[i, j] * north + c_south * south + c[i, j] * west + c_east * east
    in image[i, j] + 0.25 * lambda * divergence
  in tabulate_2d n m pixel

entry main [n] [m] (steps: i32) (lambda: f32) (image: [n][m]f32) : [n][m]f32 =
  iterate steps (step lambda) image
