-- A lambda may not consume what it captures, since it may run many times.
-- ==
-- error: xs

def main (n: i64) : []i64 =
  let xs = iota n
  in map (\i -> (xs with [0] = i)[0]) (iota n)
