-- A type parameter that the definition does not declare.
-- ==
-- error: b

type pair 'a = (a, b)

def main (x: i32) : i32 = x
