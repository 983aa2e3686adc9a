-- A function is not the result of a condition.
-- ==
-- error: [Ff]unction|->|order

def main (c: bool) (x: i32) : i32 =
  let f = if c then \(y: i32) -> y + 1 else \(y: i32) -> y * 2
  in f x
