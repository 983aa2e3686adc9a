-- Functions are not elements of arrays.
-- ==
-- error: [Aa]rray|function

def main (x: i32) : i32 =
  let fs = [\y -> y + 1, \y -> y * 2]
  in fs[0] x
