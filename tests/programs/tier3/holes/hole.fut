-- A typed hole is a compile error that states its type (Futhark warns, and stops there at run time).
-- ==
-- error: hole of type i32

def main (x: i32) : i32 = if x > 0 then x + 1 else ???
