-- Arithmetic is not defined on booleans.
-- ==
-- error: bool

def count [n] (flags: [n]bool) = map (\b -> b + b) flags

def main (flags: []bool) = count flags
