-- A type name that nothing defines.
-- ==
-- error: vektor

def main (x: vektor) : i32 = x
