-- A function is not the variable of a loop.
-- ==
-- error: [Ff]unction|->|order

def main (n: i32) (x: i32) : i32 =
  let f = loop f = \(y: i32) -> y + 1 for _i < n do \(y: i32) -> f (f y)
  in f x
