-- Slices with negative steps, and open ends.
-- ==
-- input { [1, 2, 3, 4, 5] }
-- output { [5i32, 4i32, 3i32, 2i32, 1i32] [5i32, 3i32] [1i32, 2i32] [3i32, 4i32, 5i32] }
-- input { [1] } output { [1i32] empty([0]i32) empty([0]i32) [1i32] }

def main (xs: []i32) : ([]i32, []i32, []i32, []i32) =
  let n = length xs
  in (xs[::-1], xs[n - 1:0:-2], xs[:n / 2], xs[n / 2:])
