-- A match on numbers without an arm for the rest.
-- ==
-- error: [Mm]atch|exhaust|cover

def main (x: i32) : i32 =
  match x
  case 0 -> 1
  case 1 -> 0
