-- A size parameter that no parameter determines.
-- ==
-- error: [Ss]ize

def zeros [n] (x: i32) : i32 = x

def main (x: i32) = zeros x
