-- The body of a loop must return what its parameters are.
-- ==
-- error: i32

def main (n: i32) = loop acc = 0i32 for i < n do (acc + i, i)
