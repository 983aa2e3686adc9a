-- Names with primes, and library functions made again under such names.
-- ==
-- input { [1, 2, 5] }
-- output { [2i32, 3i32, 6i32] [2i32, -2i32, 3i32, -3i32, 6i32, -6i32] [0i32, 1i32, 7i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) [0i32, 0i32, 0i32] }

def map' 'a 'b [n] (xs: [n]a) (f: a -> b) : [n]b = map f xs
def flatmap' 'a 'b [n] [k] (f: a -> [k]b) (xs: [n]a) : []b = flatten (map f xs)
def reduce_by_index' 'a [n] (k: i64) (op: a -> a -> a) (ne: a) (is: [n]i64) (vs: [n]a) : [k]a =
  reduce_by_index (replicate k ne) op ne is vs
def main (xs: []i32) : ([]i32, []i32, [3]i32) =
  let x' = map' xs (+ 1)
  let x'' = flatmap' (\x -> [x, -x]) x'
  in (x', x'', reduce_by_index' 3 (+) 0 (map (\x -> i64.i32 x % 3) xs) xs)
