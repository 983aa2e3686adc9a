-- A parenthesis that is never closed.
-- ==
-- error: \)

def main (x: i32) : i32 = (x + 1
