-- The rows of an array literal must have one length.
-- ==
-- error: [Ss]ize

def main (x: i32) = [[x, x], [x]]
