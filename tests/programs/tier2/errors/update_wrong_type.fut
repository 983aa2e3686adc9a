-- A record update may not change the type of a field.
-- ==
-- error: f32

def main (x: i32) : i32 =
  let r = {width = x, height = 2 * x}
  let s = r with width = 1.5f32
  in s.height
