-- The sizes that an entry point's types state are checked: constants, and what is computed.
-- ==
-- entry: constant
-- input { [1, 2] } output { [2, 1] }
-- input { [1, 2, 3] } error: (size|shape)
-- input { empty([0]i32) } error: (size|shape)

-- ==
-- entry: rows_of_two
-- input { [[1, 2], [3, 4]] } output { [3, 7] }
-- input { empty([0][2]i32) } output { empty([0]i32) }
-- input { [[1], [3]] } error: (size|shape)

-- ==
-- entry: twice_as_many
-- input { [1, 2] [1, 2, 3, 4] } output { [1, 2, 3, 4] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }
-- input { [1, 2] [1, 2, 3] } error: (size|shape)

-- ==
-- entry: scalar_before
-- input { -1i64 [5] } output { 5 }
-- input { 0i64 [5] } error: (size|shape)

def two = 2i64
def twice (n: i64) = n * 2

entry constant (xs: [two]i32) = reverse xs
entry rows_of_two [n] (xss: [n][two]i32) = map i32.sum xss
entry twice_as_many [n] (_: [n]i32) (ys: [twice n]i32) = ys
entry scalar_before (k: i64) (xs: [k + two]i32) = i32.sum xs
