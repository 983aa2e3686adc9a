-- A projection beyond the end of the tuple.
-- ==
-- error: \(i32, bool\)

def main (x: i32) (y: bool) = let pair = (x, y) in (pair.0, pair.2)
