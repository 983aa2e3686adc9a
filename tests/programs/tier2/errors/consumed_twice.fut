-- An array that was updated in place is used again.
-- ==
-- error: consumed

def main (n: i64) : i64 =
  let xs = iota n
  let ys = xs with [0] = 7
  in ys[0] + xs[0]
