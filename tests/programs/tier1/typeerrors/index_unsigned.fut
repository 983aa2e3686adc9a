-- An index must be a signed integer.
-- ==
-- error: u32

def lookup (xs: []i32) (at: u32) : i32 = xs[at]

def main (xs: []i32) = lookup xs 1
