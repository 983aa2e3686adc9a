-- Expected errors that speak of the stack trace, and of places as `line:column-end`.
-- ==
-- input { [1] 5i64 } error: Index \[5\] out of bounds for array of shape \[1\].
-- input { [1] 6i64 } error: Backtrace:
-- input { [1] 7i64 } error: #0 .*backtraces.fut:8:39-44
-- input { [1] 0i64 } output { 1 }

def main (xs: []i32) (i: i64) : i32 = xs[i]
