-- A tuple pattern must have as many parts as the tuple.
-- ==
-- error: i32

def swap (a: i32) (b: i32) = (b, a)

def main (x: i32) (y: i32) = let (a, b, c) = swap x y in a + b + c
