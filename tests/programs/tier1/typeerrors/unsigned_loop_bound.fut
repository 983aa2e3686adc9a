-- The bound of a `for` loop must be a signed integer.
-- ==
-- error: u8

def main (n: u8) = loop acc = 0 for i < n do acc + i
