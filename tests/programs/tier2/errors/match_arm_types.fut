-- The arms of a match have different types.
-- ==
-- error: bool

def main (x: i32) : i32 =
  match x
  case 0 -> true
  case _ -> 1
