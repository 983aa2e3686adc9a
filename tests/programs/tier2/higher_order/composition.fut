-- `>->` and `<-<` compose from left and from right; `|>` and `<|` apply.
-- ==
-- input { 5 } output { 12 11 12 11 }
-- input { -1 } output { 0 -1 0 -1 }

def inc (x: i32) : i32 = x + 1
def double (x: i32) : i32 = 2 * x

def main (x: i32) : (i32, i32, i32, i32) =
  ((inc >-> double) x, (inc <-< double) x, x |> inc |> double, inc <| double <| x)

-- ==
-- entry: chain
-- input { [3, -1, 2] } output { 28 }
-- input { empty([0]i32) } output { 0 }

entry chain [n] (xs: [n]i32) : i32 =
  (map (\x -> x * x) >-> map double >-> i32.sum) xs

-- ==
-- entry: point_free
-- input { [1, 2, 3] } output { 3i64 [2, 4, 6] }

def count 'a [n] : [n]a -> i64 = length
def doubled [n] : [n]i32 -> [n]i32 = map double

entry point_free [n] (xs: [n]i32) : (i64, [n]i32) = (count xs, doubled xs)

-- ==
-- entry: type_changes
-- input { 3 } output { "yes" }
-- input { -3 } output { "no!" }

entry type_changes (x: i32) : [3]u8 =
  (f64.i32 >-> (> 0.5) >-> \b -> if b then "yes" else "no!") x

-- ==
-- entry: pipe_binds_weakly
-- input { 2 3 } output { 6 true }

entry pipe_binds_weakly (a: i32) (b: i32) : (i32, bool) =
  (a + b |> inc, a == 2 && b == 3 || false |> id)
