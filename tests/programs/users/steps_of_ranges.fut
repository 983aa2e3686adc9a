-- Ranges upwards and downwards, with steps, of several types.
-- ==
-- input { 5i64 }
-- output { [0i64, 2i64, 4i64] [5i64, 4i64, 3i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] [0i32, 1i32, 2i32, 3i32, 4i32] [3i8, 2i8, 1i8] }
-- input { 1i64 } output { [0i64] [1i64] [1i64] [0i32] [3i8, 2i8, 1i8] }

def main (n: i64) : ([]i64, []i64, []i64, []i32, []i8) =
  (0..2..<n, n..n - 1..>0, 1...n, map i32.i64 (0..<n), 3i8..2..>0i8)
