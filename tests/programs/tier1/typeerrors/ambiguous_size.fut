-- A size that nothing determines.
-- ==
-- error: [Aa]mbiguous

def main (x: i32) = length (rep x)
