-- An array must not be used after `with` consumed it.
-- ==
-- error: xs.*consumed|consumed.*xs

def main (xs: *[]i32) =
  let ys = xs with [0] = 1
  in (ys[0], xs[0])
