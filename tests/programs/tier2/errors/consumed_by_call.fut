-- An argument that a function consumes is used again.
-- ==
-- error: consumed

def clear [n] (xs: *[n]i64) : *[n]i64 = xs with [0] = 0

def main (n: i64) : i64 =
  let xs = iota n
  let ys = clear xs
  in ys[0] + xs[0]
