-- Many operators in a row, and pipes.
-- ==
-- input { 1 true } output { 40i32 true 31i32 }
-- input { -2 false } output { -80i32 false 28i32 }

def f (x: i32) : i32 = x + 1
def main (x: i32) (b: bool) : (i32, bool, i32) =
  (x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x, b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0 || b && x > 0, x |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f |> f)
