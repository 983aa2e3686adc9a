-- A function is not the result of a match.
-- ==
-- error: [Ff]unction|->|order

def main (k: i32) (x: i32) : i32 =
  let f = match k
          case 0 -> \(y: i32) -> y + 1
          case _ -> \(y: i32) -> y * 2
  in f x
