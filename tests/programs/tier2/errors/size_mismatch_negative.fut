-- No array has one element less than twice as many: its size would be -1.
-- ==
-- error: size|Sizes

def main (xs: []i32) : [](i32, i32) = zip xs[1:] (xs ++ xs)
