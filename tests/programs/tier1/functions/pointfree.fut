-- Definitions without parameters that are functions.
-- ==
-- entry: norms
-- input { [3f64, -4f64] } output { 5f64 7f64 4f64 }
-- input { empty([0]f64) } output { 0f64 0f64 -f64.inf }

-- ==
-- entry: counts
-- input { [1, 0, 3, 0] } output { 2 [false, true, false, true] }
-- input { empty([0]i32) } output { 0 empty([0]bool) }

-- ==
-- entry: offsets
-- input { [2i64, 0i64, 5i64] } output { [2i64, 2i64, 7i64] 7i64 }

def square = \(x: f64) -> x * x
def sum_f64 = reduce (f64.+) 0
def absolute : f64 -> f64 = f64.abs
def is_zero = (== 0i32)
def as_int = i32.bool
def prefix = scan (i64.+) 0
def biggest = f64.maximum

entry norms (xs: []f64) = (f64.sqrt (sum_f64 (map square xs)), sum_f64 (map absolute xs), biggest (map absolute xs))
entry counts (xs: []i32) =
  let zeros = map is_zero xs
  in (i32.sum (map as_int zeros), zeros)
entry offsets [n] (xs: [n]i64) =
  let ends = prefix xs
  in (ends, ends[n - 1])
