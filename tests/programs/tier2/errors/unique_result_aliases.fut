-- A unique result may not be an alias of a parameter.
-- ==
-- error: xs

def same [n] (xs: [n]i64) : *[n]i64 = xs

def main [n] (xs: [n]i64) : [n]i64 = same xs with [0] = 1
