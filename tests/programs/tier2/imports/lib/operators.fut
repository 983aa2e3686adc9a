-- Imported by other programs: operators keep their precedence across files.
-- ==
-- entry: test_distance
-- input { 3 5 } output { 2 }
-- input { 5 3 } output { 2 }

def (-|) (a: i32) (b: i32) : i32 = i32.abs (a - b)
def (*|) (a: i32) (b: i32) : i32 = a * b + 1

entry test_distance (a: i32) (b: i32) : i32 = a -| b
