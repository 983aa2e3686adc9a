-- map over a matrix hands rows, not elements, to the function.
-- ==
-- error: i32

def main [n] [m] (xss: [n][m]i32) = map (+ 1) xss
