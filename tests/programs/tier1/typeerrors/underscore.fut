-- A name that begins with an underscore says that it is not used.
-- ==
-- error: prefixed with underscore may not be accessed

def main (_x: i32) : i32 = _x + 1
