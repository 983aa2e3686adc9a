-- Records of functions, with sizes that a field of the record has.
-- ==
-- input { [1, 5, 2] } output { 8i32 5i32 33i64 }
-- input { [-1] } output { -1i32 -1i32 11i64 }

type^ ops 'a = {op: a -> a -> a, unit: a}
def fold 'a [n] (o: ops a) (xs: [n]a) : a = reduce o.op o.unit xs
def apply_to [n] (r: {f: [n]i32 -> i64, xs: [n]i32}) : i64 = r.f r.xs + n
def main (xs: []i32) : (i32, i32, i64) =
  ( fold {op = (+), unit = 0} xs
  , fold {op = i32.max, unit = i32.lowest} xs
  , apply_to {f = \ys -> 10 * length ys, xs})
