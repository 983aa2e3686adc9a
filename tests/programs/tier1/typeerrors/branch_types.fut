-- Both branches of `if` must have one type.
-- ==
-- error: f32

def half (x: i32) (exact: bool) =
  if exact then f32.i32 x / 2 else x / 2

def main (x: i32) = half x true
