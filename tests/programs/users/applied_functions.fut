-- An `apply` whose result type may hide a size.
-- ==
-- input { 3i64 [1, 3, 2, 5] } output { [0i64, 1i64, 2i64] [3i32, 5i32] 6i64 }
-- input { 0i64 [1] } output { empty([0]i64) empty([0]i32) 0i64 }

def apply '^a '^b (f: a -> b) (x: a) : b = f x
def twice '^a '^b (f: a -> b) (x: a) : (b, b) = (f x, f x)
def main (n: i64) (xs: []i32) : ([]i64, []i32, i64) =
  let (a, b) = twice iota n
  in (apply iota n, apply (filter (> 2)) xs, length a + length b)
