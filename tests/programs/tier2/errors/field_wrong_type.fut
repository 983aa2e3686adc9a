-- A field has another type than the abbreviation says.
-- ==
-- error: bool

type point = {x: i32, y: i32}

def main (x: i32) : i32 =
  let p: point = {x, y = true}
  in p.x
