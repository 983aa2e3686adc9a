-- A polymorphic option type with its map, default and alternative.
-- ==
-- input { [4, 8, 15] 8 } output { 1i64 }
-- input { [4, 8, 15] 9 } output { -1i64 }
-- input { empty([0]i32) 9 } output { -1i64 }

type option 'a = #some a | #none

def map_option 'a 'b (f: a -> b) (o: option a) : option b =
  match o
  case #some x -> #some (f x)
  case #none -> #none

def default 'a (d: a) (o: option a) : a =
  match o
  case #some x -> x
  case #none -> d

def or_else 'a (o: option a) (p: option a) : option a =
  match o
  case #some x -> #some x
  case #none -> p

def find [n] (x: i32) (xs: [n]i32) : option i64 =
  reduce or_else #none (map2 (\i y -> if x == y then #some i else #none) (iota n) xs)

def main [n] (xs: [n]i32) (x: i32) : i64 = find x xs |> default (-1)

-- ==
-- entry: mapped
-- input { 9.0 } output { 3.0 }
-- input { -9.0 } output { 0.0 }

def root (x: f64) : option f64 = if x < 0 then #none else #some (f64.sqrt x)

entry mapped (x: f64) : f64 = default 0 (root x)

-- ==
-- entry: chained
-- input { 3 } output { 16 true }
-- input { -3 } output { 0 false }

entry chained (x: i32) : (i32, bool) =
  let o = map_option (* 4) (map_option (+ 1) (if x > 0 then #some x else #none))
  in (default 0 o, o != #none)
