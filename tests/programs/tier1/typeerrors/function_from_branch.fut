-- `if` must not return functions.
-- ==
-- error: [Ff]unction

def main (x: i32) (up: bool) : i32 = (if up then (+ 1) else (\y -> y - 1)) x
