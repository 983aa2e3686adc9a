-- Sizes that are claimed, and hold.
-- ==
-- input { [1, 2] [3, 4] 2i64 } output { 11i32 [[1i32, 2i32], [1i32, 2i32]] }

def dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = i32.sum (map2 (*) xs ys)
def square (xs: []i32) (k: i64) : [k][k]i32 = unflatten (xs :> [k * k]i32)
def main (xs: []i32) (ys: []i32) (k: i64) : (i32, [][]i32) =
  (dot (xs :> [k]i32) (ys :> [k]i32), square (xs ++ xs) k)
