-- A type abbreviation is applied to fewer arguments than it has parameters.
-- ==
-- error: pair

type pair 'a 'b = (a, b)

def first (p: pair i32) : i32 = p.0

def main (x: i32) : i32 = first (x, x)
