-- A function with type parameters works at every type that its uses ask for.
-- ==
-- input { 3 true } output { 3 true 3 true }

def same 'a (x: a) : a = x
def swap 'a 'b (x: a, y: b) : (b, a) = (y, x)
def first 'a 'b (x: a) (_: b) : a = x

def main (i: i32) (b: bool) : (i32, bool, i32, bool) =
  let (b', i') = swap (same i, same b)
  in (i', b', first i 2.5f32, first b (i, i))

-- ==
-- entry: on_arrays
-- input { [1, 2] [true, false] } output { [2, 1] [false, true] 1i64 }
-- input { [1] [true] } output { [1] [true] 0i64 }

def backwards 'a [n] (xs: [n]a) : [n]a = map (\i -> xs[n - 1 - i]) (iota n)

entry on_arrays [n] (xs: [n]i32) (bs: [n]bool) : ([n]i32, [n]bool, i64) =
  let ts = backwards (backwards (zip xs (iota n)))
  in (backwards xs, backwards bs, ts[n - 1].1)

-- ==
-- entry: on_records_and_rows
-- input { [[1, 2], [3, 4]] } output { [[3, 4], [1, 2]] 6 }

entry on_records_and_rows [n] [m] (xss: [n][m]i32) : ([n][m]i32, i32) =
  let rs = backwards (map (\xs -> {head = xs[0], last = xs[m - 1]}) xss)
  in (backwards xss, i32.sum (map (.last) rs))
