-- The rows of an array literal have different sizes.
-- ==
-- error:

def main (x: i32) : [][]i32 = [[x, 1], [x]]
