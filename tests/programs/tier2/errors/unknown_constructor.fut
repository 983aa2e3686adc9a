-- A constructor that the type does not have.
-- ==
-- error: purple

type colour = #red | #green

def code (c: colour) : i32 =
  match c
  case #red -> 0
  case #green -> 1

def main (x: i32) : i32 = code #purple + x
