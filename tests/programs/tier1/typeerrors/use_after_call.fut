-- An array must not be used after a function consumed it.
-- ==
-- error: xs.*consumed|consumed.*xs

def clear [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 0

def main (xs: *[]i32) =
  let ys = clear xs
  in (ys, xs)
