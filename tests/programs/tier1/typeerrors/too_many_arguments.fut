-- More arguments than the function has parameters.
-- ==
-- error: clamp

def clamp (low: i32) (x: i32) : i32 = if x < low then low else x

def main (x: i32) = clamp 0 x 255
