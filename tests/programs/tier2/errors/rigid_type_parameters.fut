-- Two type parameters need not stand for one type.
-- ==
-- error: [ab]

def second 'a 'b (x: a) (_: b) : b = x

def main (x: i32) : i32 = second x x
