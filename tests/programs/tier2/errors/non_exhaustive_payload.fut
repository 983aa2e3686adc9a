-- A match that covers a constructor only for one of its payloads.
-- ==
-- error: #some

type option = #some i32 | #none

def main (x: i32) : i32 =
  let o: option = if x == 0 then #none else #some x
  in match o
     case #some 1 -> 1
     case #none -> 0
