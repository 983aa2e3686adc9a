-- Sections of fields, numbers of tuples and indices.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 } output { [1i32, 4i32] [3i32, 6i32] [3i32, 6i32] }
-- input { empty([0][3]i32) 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i32) }

def main (xss: [][3]i32) (i: i64) : ([]i32, []i32, []i32) =
  let ps = map (\xs -> {a = {b = xs[0]}, c = (xs[1], xs[2])}) xss
  in (map (.a.b) ps, map (.c.1) ps, map (.[i]) xss)
