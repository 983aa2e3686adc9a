-- A record update names a field that the record does not have.
-- ==
-- error: depth

def main (x: i32) : i32 =
  let r = {width = x, height = 2 * x}
  let s = r with depth = 3
  in s.width
