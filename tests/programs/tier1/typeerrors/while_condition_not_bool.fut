-- The condition of `while` must be a bool.
-- ==
-- error: bool

def main (n: i32) : i32 =
  (loop (n, steps) = (n, 0) while n do (n / 2, steps + 1i32)).1
