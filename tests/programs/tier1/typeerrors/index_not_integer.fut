-- An index must be an integer.
-- ==
-- error: f32

def lookup (xs: []i32) (at: f32) : i32 = xs[at]

def main (xs: []i32) = lookup xs 1.5
