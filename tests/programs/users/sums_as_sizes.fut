-- Sizes that are sums and products, found in arguments and written in results.
-- ==
-- input { [1, 2, 3] }
-- output { [1i32, 2i32, 3i32, 0i32] [1i32, 2i32, 3i32] [1i32, 2i32, 3i32, 1i32, 2i32, 3i32] }
-- input { empty([0]i32) } output { [0i32] empty([0]i32) empty([0]i32) }

def joined [m] [n] (xs: [m]i32) (ys: [n]i32) : [m + n]i32 = xs ++ ys
def halves [n] (xs: [2 * n]i32) : ([n]i32, [n]i32) = (xs[:n], xs[n:] :> [n]i32)
def padded [n] (xs: [n]i32) : [n + 1]i32 = xs ++ [0]
def main [k] (xs: [k]i32) : ([]i32, []i32, []i32) =
  let both = joined xs xs
  let (a, b) = halves (both :> [2 * k]i32)
  in (padded a, b, both)
