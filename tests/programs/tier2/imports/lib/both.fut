-- Imported by other programs: hands the operators on, and keeps the vectors to itself.
-- ==
-- entry: test_squares
-- input { 5 3 } output { 5 }

open import "operators"
import "vector"

def squares (a: i32) (b: i32) : i32 = a -| b + i32.f64 (norm [1, 1] * norm [1.5])

entry test_squares (a: i32) (b: i32) : i32 = squares a b + 1
