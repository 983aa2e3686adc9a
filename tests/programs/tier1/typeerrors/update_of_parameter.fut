-- Only a unique parameter may be consumed.
-- ==
-- error: [Cc]onsum

def set (xs: []i32) (i: i64) : []i32 = xs with [i] = 0

def main (xs: []i32) = set xs 0
