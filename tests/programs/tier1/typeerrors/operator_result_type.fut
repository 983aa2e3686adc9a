-- The operator of a reduction must return what it takes.
-- ==
-- error: f64

def main (xs: []i32) = reduce (\x y -> f64.i32 (x + y)) 0 xs
