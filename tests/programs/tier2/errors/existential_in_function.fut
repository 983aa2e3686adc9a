-- A result size that nothing determines cannot be the size of an argument.
-- ==
-- error: n

def main [n] (xs: [n]i32) : [n]i64 =
  let ys = filter (> 0) xs
  in map2 (\i _ -> i) (iota n) ys
