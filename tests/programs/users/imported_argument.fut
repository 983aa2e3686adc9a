-- A file as the argument of a parametric module.
-- ==
-- input { 3 } output { 301i32 -299i32 }
-- input { 0 } output { 1i32 1i32 }

module twice (s: { val scaled : i32 -> i32 }) = { def f (x: i32) : i32 = s.scaled (s.scaled x) + 1 }
module t = twice (import "lib/scaled")
open twice (import "lib/scaled")
def main (x: i32) : (i32, i32) = (t.f x, f (-x))
