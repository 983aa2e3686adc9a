-- A function applied to itself has no type.
-- ==
-- error:

def main (x: i32) : i32 =
  let f = \g -> g g
  in x
