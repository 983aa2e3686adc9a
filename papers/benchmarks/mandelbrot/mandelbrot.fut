-- The Mandelbrot set: after how many steps each point of a square has escaped.
-- ==
-- input { 3i64 50 } output { [[3, 4, 6], [50, 50, 50], [3, 4, 6]] }
-- input { 0i64 50 } output { empty([0][0]i32) }

-- The steps of z -> z² + c until z is further than 2 from the origin; at most `limit`.
def escape (limit: i32) (cr: f32) (ci: f32) : i32 =
  let (_, _, steps) =
    loop (r, i, steps) = (0, 0, 0) while steps < limit && r * r + i * i <= 4 do
      (r * r - i * i + cr, 2 * r * i + ci, steps + 1)
  in steps

-- Real parts from -2 to 0.5, imaginary parts from -1.25 to 1.25.
entry main (n: i64) (limit: i32) : [n][n]i32 =
  let at (low: f32) k = low + 2.5 * (f32.i64 k + 0.5) / f32.i64 n
  in tabulate_2d n n (\y x -> escape limit (at (-2) x) (at (-1.25) y))
