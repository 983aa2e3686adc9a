-- A constructor with more payload than its type says.
-- ==
-- error: some

type option = #some i32 | #none

def main (x: i32) : i32 =
  let o: option = #some x x
  in match o
     case #some y -> y
     case #none -> 0
