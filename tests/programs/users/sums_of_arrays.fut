-- Constructors with arrays, matched in nests.
-- ==
-- input { [0, 1, 3, 4, 5, 6] } output { [0i32, 11i32, 0i32, 4i32, -2i32, 18i32] }
-- input { empty([0]i32) } output { empty([0]i32) }

type shape = #none | #row [2]i32 | #two {a: i32, b: (i32, bool)}
def value (s: shape) : i32 =
  match s
  case #none -> 0
  case #row xs -> i32.sum xs
  case #two {a = 1, b = (x, true)} -> x
  case #two {a, b = (_, false)} -> -a
  case #two {a, b} -> a * b.0
def make (i: i32) : shape =
  if i == 0 then #none else if i < 3 then #row [i, 10] else #two {a = i - 3, b = (i, i % 2 == 0)}
def main (is: []i32) : []i32 = map (value <-< make) is
