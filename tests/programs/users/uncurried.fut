-- Functions with result sizes of their own, given to `uncurry`, `flip` and `curry`.
-- ==
-- input { 2i64 [1, 2] } output { [7i32, 7i32] [3i32, 3i32] [0i32, 1i32, 2i32] }
-- input { 0i64 empty([0]i32) } output { empty([0]i32) empty([0]i32) [0i32] }

def pair (n: i64) : (i64, i32) = (n, 7)
def main (n: i64) (xs: []i32) : ([]i32, []i32, []i32) =
  (uncurry replicate (pair n), flip replicate 3 n, uncurry (flip concat) (xs, [0]))
