-- A map does not make an array of functions.
-- ==
-- error: [Ff]unction|->|order

def main [n] (xs: [n]i32) : i32 =
  let fs = map (\x -> \(y: i32) -> x + y) xs
  in length fs |> i32.i64
