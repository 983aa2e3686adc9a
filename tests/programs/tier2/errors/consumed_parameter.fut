-- A parameter without `*` may not be updated in place.
-- ==
-- error: xs

def main [n] (xs: [n]i64) : [n]i64 = xs with [0] = 7
