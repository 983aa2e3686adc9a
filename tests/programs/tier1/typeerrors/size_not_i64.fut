-- A size must be an i64.
-- ==
-- error: i32

def first (k: i32) (xs: []i32) : [k]i32 = take k xs

def main (xs: []i32) = first 2 xs
