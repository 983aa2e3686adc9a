-- The condition of `if` must be a bool; numbers are not.
-- ==
-- error: bool

def main (x: i32) : i32 = if x then 1 else 0
