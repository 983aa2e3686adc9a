-- A function that gives an array and more, mapped and flattened.
-- ==
-- input { [12, 34, 5] } output { [1i32, 2i32, 3i32, 4i32, 0i32, 5i32] [24i32, 68i32, 10i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def parts (x: i32) : ([2]i32, i32) = ([x / 10, x % 10], x * 2)
def flatten_first 'a 'b [n] [k] (xs: [n]([k]a, b)) : ([]a, [n]b) =
  let (as, bs) = unzip xs in (flatten as, bs)
def main (xs: []i32) : ([]i32, []i32) = flatten_first (map parts xs)
