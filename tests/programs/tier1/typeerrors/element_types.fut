-- The elements of an array literal must have one type.
-- ==
-- error: bool

def main (x: i32) = [x, x > 0]
