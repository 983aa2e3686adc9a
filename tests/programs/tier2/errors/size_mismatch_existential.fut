-- The size of a filtered array is not the size of what was filtered.
-- ==
-- error: n

def main [n] (xs: [n]i32) : [n]i32 = filter (> 0) xs
