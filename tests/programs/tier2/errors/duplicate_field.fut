-- A record literal gives one field twice.
-- ==
-- error: x

def main (x: i32) : i32 =
  let r = {x = x, x = x + 1}
  in r.x
