-- A function that adds its argument cannot have any type.
-- ==
-- error: a

def double 'a (x: a) : a = x + x

def main (x: i32) : i32 = double x
