-- A result of another length than the signature says.
-- ==
-- error: [Ss]ize

def prefixes (n: i64) (xs: [n]i32) : [n]i32 = [0] ++ scan (+) 0 xs

def main [n] (xs: [n]i32) = prefixes n xs
