-- An alias of an array that was updated in place is used.
-- ==
-- error: consumed

def main (n: i64) : i64 =
  let xs = iota n
  let tail = xs[1:]
  let ys = xs with [0] = 7
  in ys[0] + tail[0]
