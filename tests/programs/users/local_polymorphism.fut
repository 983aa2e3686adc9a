-- Local functions with type and size parameters.
-- ==
-- input { [1, 2] [true, false] } output { [1i32, 2i32] [false, true] 4i64 2i64 }
-- input { empty([0]i32) empty([0]bool) } output { empty([0]i32) empty([0]bool) 0i64 0i64 }

def main [n] (xs: [n]i32) (bs: [n]bool) : ([n]i32, [n]bool, i64, i64) =
  let zipped 'a 'b [k] (as: [k]a) (bs: [k]b) : [k](a, b) = zip as bs
  let len [k] 'a (_: [k]a) = k
  let flip_all = map (\b -> !b)
  in (map (.0) (zipped xs bs), flip_all bs, len xs + len (indices bs), len (zipped bs bs))
