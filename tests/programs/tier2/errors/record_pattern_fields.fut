-- A record pattern must name all fields.
-- ==
-- error: y

def main (x: i32) : i32 =
  let {x = z} = {x, y = 2 * x}
  in z
