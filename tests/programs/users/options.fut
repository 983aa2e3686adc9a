-- A parametric option type, mapped and with a default.
-- ==
-- input { [1, 5, 2] } output { 1i64 0i64 }
-- input { empty([0]i32) } output { -1i64 0i64 }

type opt 'a = #some a | #none
def map_opt 'a 'b (f: a -> b) (o: opt a) : opt b = match o case #some x -> #some (f x) case #none -> #none
def or_else 'a (d: a) (o: opt a) : a = match o case #some x -> x case #none -> d
def first 'a (p: a -> bool) (xs: []a) : opt i64 =
  let found = filter (\i -> p xs[i]) (indices xs) in if null found then #none else #some found[0]
def main (xs: []i32) : (i64, i64) =
  (or_else (-1) (first (> 3) xs), or_else 0 (map_opt (* 10) (first (== 1) xs)))
