-- A variable that nothing binds.
-- ==
-- error: yy

def main (x: i32) : i32 = x + yy
