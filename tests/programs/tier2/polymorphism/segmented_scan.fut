-- A polymorphic segmented scan is used with three operators on three element types.
-- ==
-- input { [true, false, false, true, false] [1, 2, 3, 4, 5] } output { [1, 3, 6, 4, 9] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) }
-- input { [false] [7] } output { [7] }

def segscan 't [n] (op: t -> t -> t) (ne: t) (flags: [n]bool) (vs: [n]t) : [n]t =
  let step (f1, v1) (f2, v2) = (f1 || f2, if f2 then v2 else op v1 v2)
  in map (.1) (scan step (false, ne) (zip flags vs))

def main [n] (flags: [n]bool) (xs: [n]i32) : [n]i32 = segscan (+) 0 flags xs

-- ==
-- entry: maxima
-- input { [true, false, true, false, false] [1.0, 3.0, -2.0, -5.0, -1.0] }
-- output { [1.0, 3.0, -2.0, -2.0, -1.0] }

entry maxima [n] (flags: [n]bool) (xs: [n]f64) : [n]f64 = segscan f64.max f64.lowest flags xs

-- ==
-- entry: pairs
-- input { [true, false, true] [1, 2, 3] [4, 5, 6] } output { [1, 3, 3] [4, 20, 6] }

entry pairs [n] (flags: [n]bool) (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  segscan (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) flags (zip xs ys) |> unzip
