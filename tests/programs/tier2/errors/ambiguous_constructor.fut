-- A constructor whose sum type nothing determines.
-- ==
-- error: lonely

def main (x: i32) : i32 =
  let c = #lonely
  in match c case #lonely -> x
