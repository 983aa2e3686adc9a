-- A constructor with a payload of another type.
-- ==
-- error: bool

type option = #some i32 | #none

def main (x: i32) : i32 =
  let o: option = #some true
  in match o
     case #some y -> y + x
     case #none -> 0
