-- The discrete Fourier transform of 2^k complex numbers, Stockham's form (NPB FT in one dimension).
-- ==
-- input { [1.0, 2.0, 0.0, -1.0, 3.0, 0.5, 0.0, 1.0] [0.0, 1.0, 0.0, 0.0, -2.0, 0.0, 1.0, 0.0] }
-- output { [6.5f64, 0.1819805153394638f64, 5.0f64, -2.767766952966369f64, 1.5f64, -6.181980515339464f64, 3.0f64, 0.7677669529663689f64] [0.0f64, 3.0606601717798214f64, -5.5f64, 1.646446609406726f64, -2.0f64, 0.9393398282201786f64, -0.5f64, 2.353553390593274f64] }
-- input { [3.0] [4.0] }
-- output { [3.0f64] [4.0f64] }

type complex = (f64, f64)
def add (a: complex) (b: complex) : complex = (a.0 + b.0, a.1 + b.1)
def sub (a: complex) (b: complex) : complex = (a.0 - b.0, a.1 - b.1)
def mul (a: complex) (b: complex) : complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

def stage [n] (l: i64) (m: i64) (xs: [n]complex) : [n]complex =
  let value o =
    let k = o % m
    let j = o / m / 2
    let a = xs[k + j * m]
    let b = xs[k + j * m + l * m]
    let angle = -f64.pi * f64.i64 j / f64.i64 l
    in if o / m % 2 == 0 then add a b else mul (f64.cos angle, f64.sin angle) (sub a b)
  in tabulate n value

entry main [n] (re: [n]f64) (im: [n]f64) : ([n]f64, [n]f64) =
  let (xs, _, _) =
    loop (xs, l, m) = (zip re im, n / 2, 1) while l >= 1 do
      (stage l m xs, l / 2, m * 2)
  in unzip xs
