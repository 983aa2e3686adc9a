-- What an iota writes is a write: in the argument's block it would overwrite what is returned as
-- well. Two results, two blocks: the argument's and one more.
-- ==
-- input { [5i64, 6i64, 7i64] } output { [0i64, 1i64, 2i64] [5i64, 6i64, 7i64] }
-- structure seq-mem { Alloc 1 Copy 1 }

def main [n] (xs: *[n]i64) : ([n]i64, [n]i64) =
  let ys = copy xs
  in (xs with [:] = iota n, ys)
