-- `r32`, `t32`, `r64` and `t64`, as programs of some years ago have them.
-- ==
-- input { [1, 2, 4] 2.75 } output { 2.333333f32 2i32 2i32 2.750000000000000f64 }
-- input { [-3] -0.5 } output { -3.000000f32 -3i32 0i32 1.500000000000000f64 }

def mean (xs: []i32) : f32 = r32 (i32.sum xs) / r32 (i32.i64 (length xs))
def main (xs: []i32) (y: f64) : (f32, i32, i32, f64) =
  (mean xs, t32 (f32.floor (mean xs)), t64 y, r64 xs[0] * y)
