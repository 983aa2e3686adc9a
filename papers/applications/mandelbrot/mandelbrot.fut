-- The Mandelbrot set: how long each point of the plane stays near, and a picture of that in colours.
-- ==
-- input { 4i64 3i64 50 -2.0 -1.0 1.0 0.6 }
-- output { [[3, 4, 50, 3], [5, 50, 50, 4], [4, 8, 50, 4]] }
-- input { 1i64 1i64 100 -0.1 -0.1 0.1 0.1 } output { [[100]] }
-- input { 1i64 1i64 100 3.0 3.0 3.5 3.5 } output { [[1]] }
-- input { 0i64 2i64 10 0.0 0.0 1.0 1.0 } output { empty([2][0]i32) }
-- input { 2i64 0i64 10 0.0 0.0 1.0 1.0 } output { empty([0][2]i32) }

type complex = {re: f64, im: f64}

def (+!) (a: complex) (b: complex) : complex = {re = a.re + b.re, im = a.im + b.im}
def (*!) (a: complex) (b: complex) : complex =
  {re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re}
def square_norm (a: complex) : f64 = a.re * a.re + a.im * a.im

-- The steps of z -> z² + c until z is further than 2 from the origin; at most `limit`.
def escape (limit: i32) (c: complex) : i32 =
  let (_, steps) =
    loop (z, steps) = ({re = 0, im = 0}, 0) while steps < limit && square_norm z <= 4 do
      (z *! z +! c, steps + 1)
  in steps

def plane (width: i64) (height: i64) (low: complex) (high: complex) : [height][width]complex =
  let at k n a b = a + (b - a) * (f64.i64 k + 0.5) / f64.i64 n
  in tabulate_2d height width (\i j -> { re = at j width low.re high.re
                                       , im = at i height low.im high.im})

def main (width: i64) (height: i64) (limit: i32) (left: f64) (bottom: f64) (right: f64) (top: f64) :
    [height][width]i32 =
  plane width height {re = left, im = bottom} {re = right, im = top} |> map (map (escape limit))

-- ==
-- entry: picture
-- input { 4i64 2i64 50 }
-- output { [[0xff3c6a26u32, 0xff5c9a46u32, 0xff000000u32, 0xff3c6a26u32],
--           [0xff3c6a26u32, 0xff5c9a46u32, 0xff000000u32, 0xff3c6a26u32]] }
-- input { 0i64 0i64 50 } output { empty([0][0]u32) }

type colour = #inside | #after i32

def argb (c: colour) : u32 =
  match c
  case #inside -> 0xff000000
  case #after k ->
    let channel (slope: i32) (start: i32) = u32.i32 ((start + slope * k) % 256)
    in 0xff << 24 | channel 16 12 << 16 | channel 24 34 << 8 | channel 16 (-10)

entry picture (width: i64) (height: i64) (limit: i32) : [height][width]u32 =
  main width height limit (-2) (-1) 1 1
  |> map (map (\k -> argb (if k == limit then #inside else #after k)))
