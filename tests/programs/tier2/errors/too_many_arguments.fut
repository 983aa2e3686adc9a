-- A function is applied to more arguments than it takes.
-- ==
-- error: inc

def inc (x: i32) : i32 = x + 1

def main (x: i32) : i32 = inc x x
