-- A name may be bound only once in a pattern.
-- ==
-- error: "?low"?.*(also|twice|again|already|[Dd]uplicate)|(also|twice|again|already|[Dd]uplicate).*low

def main (x: i32) (y: i32) =
  let (low, low) = if x < y then (x, y) else (y, x)
  in low
