-- Entry points take records and sums as several values (0.25: opaque ones), whose sizes count, too.
-- ==
-- entry: record
-- input { 1i64 [5, 6, 7] } output { 6 }
-- input { 3i64 [5, 6, 7, 8] } error: cannot match shape
-- input { 0i64 [5, 6] } error: cannot match shape

-- ==
-- entry: within
-- input { 4 [1, 2, 3] 1i64 } output { 6 }
-- input { 4 [1, 2] 1i64 } error: cannot match shape

-- ==
-- entry: only
-- input { 0i8 [1, 2, 3] 2 } output { 12 }
-- input { 0i8 [1, 2, 3, 4] 2 } error: cannot match shape

-- ==
-- entry: any_size
-- input { 0i8 [1, 2] 3 } output { 2i64 }
-- input { 1i8 [1, 2] 3 } output { 3i64 }
-- input { 0i8 empty([0]i32) 3 } output { 0i64 }

-- ==
-- entry: named
-- input { 0i8 [1, 2] 3 } output { 2i64 }
-- input { 1i8 [1, 2] 3 } output { 0i64 }
-- input { 1i8 empty([0]i32) -1 } output { 0i64 }

-- ==
-- entry: constant
-- input { 0i8 [1, 2, 3] 9 } output { 6 }
-- input { 0i8 [1, 2] 9 } error: cannot match shape
-- input { 1i8 [1, 2] 9 } output { 9 }

-- ==
-- entry: elements
-- input { [1i8, 0i8] [[0, 0, 0], [1, 2, 3]] [4, 0] } output { [4, 6] 3i64 }
-- input { empty([0]i8) empty([0][2]i32) empty([0]i32) } output { empty([0]i32) 0i64 }

def three = 3i64

type counted [n] = #many ([n]i32) | #one i32

entry record {values: [three]i32, at: i64} = values[at]

entry within ({values: [three]i32, more: i32}, k: i64) = values[k] + more

entry only (#pair xs k: #pair ([three]i32) i32) = k * i32.sum xs

entry any_size (x: counted []) : i64 =
  match x
  case #many ys -> length ys
  case #one k -> i64.i32 k

entry named [n] (_: counted [n]) : i64 = n

entry constant (x: counted [three]) : i32 =
  let xs = [x, #many (replicate three 0)]
  in match xs[0] case #many ys -> i32.sum ys case #one k -> k

entry elements [k] [n] (xs: [k](counted [n])) : ([k]i32, i64) =
  (map (\x -> match x case #many ys -> i32.sum ys case #one y -> y) xs, n)
