-- A lambda bound with let has one type only.
-- ==
-- error: bool

def main (x: i32) (b: bool) : (i32, bool) =
  let same = \y -> y
  in (same x, same b)
