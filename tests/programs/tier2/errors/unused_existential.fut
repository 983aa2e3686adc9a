-- A size of a result that no array has.
-- ==
-- error: "m" not used

def pair (x: i32) : ?[n][m].([n]i32, i32) = ([x, x], x)

def main (x: i32) : i32 = (pair x).1
