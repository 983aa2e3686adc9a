-- A module over any float type, used at three of them.
-- ==
-- input { [1f32, 2f32] [3f64, 5f64] }
-- output { 1.500000f32 4.000000000000000f64 2.000000000000000f64 false true 3.000000000000000f64 }
-- input { [-2f32] [0.5f64] }
-- output { -2.000000f32 0.500000000000000f64 -4.000000000000000f64 true true 3.000000000000000f64 }

module stats (T: float) = {
  type t = T.t
  def mean [n] (xs: [n]t) : t = T.sum xs T./ T.i64 n
  def scaled (x: t) : f64 = T.to_f64 x * 2
  def sign_bit (x: t) : bool = T.get_bit (T.num_bits - 1) x == 1
}
module s32 = stats f32
module s64 = stats f64
module s16 = stats f16
def main (xs: []f32) (ys: []f64) : (f32, f64, f64, bool, bool, f64) =
  (s32.mean xs, s64.mean ys, s32.scaled xs[0], s32.sign_bit xs[0], s64.sign_bit (-1), s16.scaled 1.5)
