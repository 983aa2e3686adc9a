-- Definitions without parameters, of functions and of partial applications.
-- ==
-- input { [1, -2, 3] 10 } output { 2i32 [1i32, 4i32, 9i32] 3i32 [11i32, 8i32, 13i32] }

def sum = reduce (+) 0i32
def squares = map (\x -> x * x) : [3]i32 -> [3]i32
def largest [n] : [n]i32 -> i32 = reduce i32.max i32.lowest
def add_all = \(k: i32) -> map (+ k)
def main (xs: [3]i32) (k: i32) : (i32, [3]i32, i32, [3]i32) =
  (sum xs, squares xs, largest xs, add_all k xs)
