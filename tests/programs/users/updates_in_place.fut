-- Updates with several indices, slices and a stride.
-- ==
-- input { [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] 1i64 }
-- output { [[9i32, 9i32, 9i32, 9i32], [5i32, 70i32, 5i32, 8i32], [-1i32, 10i32, 6i32, -2i32]] }

def main (xss: *[3][4]i32) (k: i64) : [3][4]i32 =
  let xss[k, 1] = 70
  let xss[0] = replicate 4 9
  let xss[1:3, 2] = [5, 6]
  in xss with [2, 0:4:3] = [-1, -2]
