-- Results whose sizes only they know, in pairs and records.
-- ==
-- input { [1, 4, 2, 3] 5i64 } output { [4i32, 3i32] [1i32, 2i32] [0i64, 2i64, 4i64] 8i64 }
-- input { empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i64) 0i64 }

def split_by 'a (p: a -> bool) (xs: []a) : ?[n][m].([n]a, [m]a) =
  (filter p xs, filter (\x -> !(p x)) xs)
def evens (n: i64) : ?[k].{is: [k]i64, top: i64} = {is = filter (\i -> i % 2 == 0) (iota n), top = n}
def main (xs: []i32) (n: i64) : ([]i32, []i32, []i64, i64) =
  let (a, b) = split_by (> 2) xs
  let r = evens n
  in (a, b, r.is, r.top + length r.is)
