-- Two results of one function that hides a size need not be of one size.
-- ==
-- error: differ|do not match|match|scope

def both '^a '^b (f: a -> b) (x: a) (y: a) : (b, b) = (f x, f y)
def main (n: i64) : [](i64, i64) = let (a, b) = both iota n (n + 1) in zip a b
