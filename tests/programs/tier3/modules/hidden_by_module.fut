-- A module hides the value of the same name.
-- ==
-- error: split

module split = { def f (x: i32) = x + 1 }

def main (xs: []i32) = (split 1 xs).0
