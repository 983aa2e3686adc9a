-- A call that lacks an argument is a function, not the number that is needed.
-- ==
-- error: i32

def clamp (low: i32) (high: i32) (x: i32) : i32 = i32.max low (i32.min high x)

def main (x: i32) : i32 = 1 + clamp 0 x
