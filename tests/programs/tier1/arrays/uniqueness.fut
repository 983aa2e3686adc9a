-- Unique parameters, loop parameters and results; consuming a copy leaves the original.
-- ==
-- entry: keep
-- input { [1, 2, 3] } output { [1, 2, 3] [0, 2, 3] }

-- ==
-- entry: pass_on
-- input { [1, 2, 3] } output { [10, 2, 30] }

-- ==
-- entry: counted
-- input { [0i64, 2i64, 0i64] } output { [2, 0, 1] }
-- input { empty([0]i64) } output { [0, 0, 0] }

-- ==
-- entry: independent
-- input { 3i64 } output { [0i64, 5i64, 2i64] [0i64, 1i64, 7i64] }

-- ==
-- entry: pair
-- input { [1] [2] } output { [3] [2] }

def set_first [n] (xs: *[n]i32) (v: i32) : *[n]i32 = xs with [0] = v
def set_last [n] (xs: *[n]i32) (v: i32) : *[n]i32 = xs with [n - 1] = v

entry keep [n] (xs: [n]i32) : ([n]i32, [n]i32) = (xs, set_first (copy xs) 0)
entry pass_on [n] (xs: *[n]i32) : *[n]i32 = set_last (set_first xs 10) 30
entry counted [n] (is: [n]i64) =
  loop (acc: *[3]i32) = replicate 3 0 for i in is do acc with [i] = acc[i] + 1
entry independent (n: i64) =
  let a = iota n
  let b = iota n
  in (a with [1] = 5, b with [2] = 7)
entry pair (xs: *[1]i32) (ys: [1]i32) =
  let xs[0] = xs[0] + ys[0] in (xs, ys)
