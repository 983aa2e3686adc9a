-- Recursion over arrays by indices, and over trees whose nodes are indices.
-- ==
-- input { [1, 3, 5, 9] 5 } output { 2i64 }
-- input { [1, 3, 5, 9] 4 } output { -1i64 }
-- input { empty([0]i32) 4 } output { -1i64 }

def search [n] (xs: [n]i32) (x: i32) (low: i64) (high: i64) : i64 =
  if low >= high then -1
  else let m = (low + high) / 2
       in if xs[m] == x then m
          else if xs[m] < x then search xs x (m + 1) high
          else search xs x low m

def main [n] (xs: [n]i32) (x: i32) : i64 = search xs x 0 n

-- ==
-- entry: tree_sum
-- input { [1i64, -1i64, -1i64] [2i64, -1i64, -1i64] [10, 20, 30] } output { 60 2 }
-- input { [-1i64] [-1i64] [5] } output { 5 1 }

def sum_below [n] (left: [n]i64) (right: [n]i64) (value: [n]i32) (at: i64) : i32 =
  if at < 0 then 0
  else value[at] + sum_below left right value left[at] + sum_below left right value right[at]

def depth_below [n] (left: [n]i64) (right: [n]i64) (at: i64) : i32 =
  if at < 0 then 0
  else 1 + i32.max (depth_below left right left[at]) (depth_below left right right[at])

entry tree_sum [n] (left: [n]i64) (right: [n]i64) (value: [n]i32) : (i32, i32) =
  (sum_below left right value 0, depth_below left right 0)
