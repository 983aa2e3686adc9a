-- A let pattern must match every value.
-- ==
-- error:

type option = #some i32 | #none

def main (x: i32) : i32 =
  let o: option = if x == 0 then #none else #some x
  let (#some y) = o
  in y
