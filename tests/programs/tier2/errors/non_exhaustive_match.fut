-- A match without an arm for one of the constructors.
-- ==
-- error: blue

type colour = #red | #green | #blue

def code (c: colour) : i32 =
  match c
  case #red -> 0
  case #green -> 1

def main (x: i32) : i32 = if x == 0 then code #red else code #blue
