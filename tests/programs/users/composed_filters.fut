-- A filter at the end of a composition, and a pipeline of several.
-- ==
-- input { [3, -1, 1, 2, 8] } output { [2i32, 1i32, 7i32] 3i64 }
-- input { empty([0]i32) } output { empty([0]i32) 0i64 }

def positive [n] (xs: [n]i32) : []i32 = filter (> 0) xs
def main (xs: []i32) : ([]i32, i64) =
  let f = positive <-< map (\x -> x - 1)
  in (f xs, xs |> positive |> map (* 2) |> filter (< 9) |> length)
