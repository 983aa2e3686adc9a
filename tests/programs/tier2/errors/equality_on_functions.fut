-- Functions cannot be compared.
-- ==
-- error:

def inc (x: i32) : i32 = x + 1

def main (x: i32) : bool = inc == inc && x == 0
