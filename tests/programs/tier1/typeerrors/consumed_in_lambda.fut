-- A function that is applied many times must not consume what it captures.
-- ==
-- error: [Cc]onsum

def main [n] (xs: *[n]i32) =
  map (\i -> let ys = xs with [0] = i in ys[0]) [1, 2, 3]
