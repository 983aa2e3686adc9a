-- An array is used again through a record that holds it.
-- ==
-- error: consumed

def main (n: i64) : i64 =
  let xs = iota n
  let r = {data = xs, size = n}
  let ys = xs with [0] = 7
  in ys[0] + r.data[0]
