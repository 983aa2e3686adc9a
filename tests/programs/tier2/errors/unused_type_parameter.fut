-- A size parameter of a type that no array in it has.
-- ==
-- error: \[m\].*unused

type matrix [n] [m] = [n][n]f64

def main (x: f64) : f64 = let m: matrix [1] [2] = [[x]] in m[0, 0]
