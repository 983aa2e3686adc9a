-- `match` on numbers, negative numbers, truth values, characters and floats.
-- ==
-- input { 0 } output { 100 }
-- input { -1 } output { 200 }
-- input { 7 } output { 7 }

def main (x: i32) : i32 =
  match x
  case 0 -> 100
  case -1 -> 200
  case n -> n

-- ==
-- entry: bools
-- input { true false } output { 2 }
-- input { true true } output { 1 }
-- input { false true } output { 3 }
-- input { false false } output { 3 }

entry bools (a: bool) (b: bool) : i32 =
  match (a, b)
  case (true, true) -> 1
  case (true, false) -> 2
  case (false, _) -> 3

-- ==
-- entry: characters
-- input { "a+9-" } output { [1, 2, 0, 3] }
-- input { empty([0]u8) } output { empty([0]i32) }

entry characters [n] (s: [n]u8) : [n]i32 =
  map (\c -> match c
             case 'a' -> 1
             case '+' -> 2
             case '-' -> 3
             case _ -> 0)
      s

-- ==
-- entry: floats
-- input { [0.0, -0.0, 1.5, -1.5, 2.0] } output { [1, 1, 2, 3, 0] }

entry floats [n] (xs: [n]f64) : [n]i32 =
  map (\x -> match x case 0.0 -> 1 case 1.5 -> 2 case -1.5 -> 3 case _ -> 0) xs

-- ==
-- entry: typed
-- input { 255u8 } output { 1 }
-- input { 127u8 } output { 2 }
-- input { 0u8 } output { 3 }

entry typed (x: u8) : i32 =
  match x
  case 255u8 -> 1
  case 0x7f -> 2
  case _ -> 3

-- ==
-- entry: in_tuples
-- input { 3 0 } output { 3 }
-- input { 0 4 } output { 4 }
-- input { 2 3 } output { 6 }

entry in_tuples (a: i32) (b: i32) : i32 =
  match (a, b)
  case (x, 0) -> x
  case (0, y) -> y
  case (x, y) -> x * y
