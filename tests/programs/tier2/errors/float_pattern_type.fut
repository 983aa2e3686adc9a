-- A pattern has another type than what is matched.
-- ==
-- error: [Ff]loat|f64|1\.5|i32

def main (x: i32) : i32 =
  match x
  case 1.5 -> 1
  case _ -> 0
