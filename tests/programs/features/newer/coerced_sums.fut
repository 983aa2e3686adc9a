-- A coercion checks the payload that is there (0.25 none, or that of other constructors, too).
-- ==
-- entry: main
-- input { 3i64 3i64 true } output { 3i64 }
-- input { 3i64 2i64 true } error: cannot match shape
-- input { 3i64 2i64 false } output { -1i64 }
-- input { 0i64 -1i64 false } output { -1i64 }
-- input { 0i64 -1i64 true } error: cannot match shape

-- ==
-- entry: beside
-- input { 2i64 2i64 true } output { [2i64, 2i64] }
-- input { 3i64 2i64 false } output { [-1i64, 2i64] }
-- input { 3i64 2i64 true } error: cannot match shape

-- ==
-- entry: elements
-- input { 2i64 1i64 [true, false, true] } output { [0, 7, 4] }
-- input { 2i64 2i64 [true, false, true] } error: cannot match shape
-- input { 2i64 2i64 [false, false] } output { [7, 7] }
-- input { 2i64 2i64 empty([0]bool) } output { empty([0]i32) }

-- ==
-- entry: inside
-- input { 2i64 2i64 } output { 2i64 }
-- input { 2i64 3i64 } error: cannot match shape

type list [n] = #many ([n]i32) | #none

def count [n] (x: list [n]) : i64 = match x case #many _ -> n case #none -> -1

def next (x: i64) = x + 1

def made (n: i64) (x: i32) (b: bool) : list [n] = if b then #many (replicate n x) else #none

entry main (n: i64) (m: i64) (b: bool) : i64 = count (made n 1 b :> list [m])

entry beside (n: i64) (m: i64) (b: bool) : [2]i64 =
  map count [made n 1 b :> list [m], #many (replicate m 1)]

entry elements [k] (n: i64) (m: i64) (bs: [k]bool) : [k]i32 =
  let lists = zip (map2 (\i b -> made n (i32.i64 i) b) (iota k) bs) bs
  let claimed = lists :> [k](list [next m], bool)
  in map (\(x, _) -> match x case #many ys -> i32.sum ys case #none -> 7) claimed

entry inside (n: i64) (m: i64) : i64 =
  let x : #left (i32, list [n]) | #right = #left (1, made n 1 true)
  in match x :> #left (i32, list [m]) | #right
     case #left (_, ys) -> count ys
     case #right -> 0
