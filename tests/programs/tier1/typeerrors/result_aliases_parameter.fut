-- A unique result must not be an alias of a parameter that is not.
-- ==
-- error: alias

def same (xs: []i32) : *[]i32 = xs

def main (xs: []i32) = same xs
