-- A type mentions a size that nothing binds.
-- ==
-- error: k

def main (xs: [k]i32) : i32 = i32.sum xs
