-- Type parameters that may hide a size: arguments are functions whose results have sizes of their own.
-- ==
-- input { 3i64 [1, -2, 3] } output { [0i64, 1i64, 2i64] [7, 7, 7] [1, 3] [2, 4] }
-- input { 0i64 [-1] } output { empty([0]i64) empty([0]i32) empty([0]i32) empty([0]i32) }

def apply '^a '^b (f: a -> b) (x: a) : b = f x
def both '^a '^b '^c (f: a -> b) (g: a -> c) (x: a) : (b, c) = (f x, g x)

def main (n: i64) (xs: []i32) : ([]i64, []i32, []i32, []i32) =
  let positive = filter (> 0) <-< map id
  in ( apply iota n
     , uncurry replicate (n, 7)
     , apply (filter (> 0)) xs
     , map (+ 1) (positive xs))

-- ==
-- entry: two
-- input { 2i64 } output { [0i64, 1i64] [5, 5] 2i64 }
-- input { 0i64 } output { empty([0]i64) empty([0]i32) 0i64 }

entry two (n: i64) : ([]i64, []i32, i64) =
  let (is, xs) = both iota (flip replicate 5) n
  in (is, xs, length is)
