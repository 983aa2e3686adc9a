-- What is defined before an `open` keeps its meaning, and definitions after it shadow what it brought.
-- ==
-- input { 7 2 } output { 3 9 }

def before (a: i32) (b: i32) : i32 = a / b
def plus (a: i32) (b: i32) : i32 = a + b

open u8

def max (a: i32) (b: i32) : i32 = plus a b

def main (a: i32) (b: i32) : (i32, i32) = (before a b, max a b)

-- ==
-- entry: bytes
-- input { 200u8 100u8 } output { 44u8 100u8 255u8 }

entry bytes (a: u8) (b: u8) : (u8, u8, u8) = (a + b, min a b, highest)
