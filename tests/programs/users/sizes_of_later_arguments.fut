-- A size parameter that stands only in arguments of the function that a function returns.
-- ==
-- input { [3, -1, 4] } output { 9i64 }
-- input { empty([0]i32) } output { 0i64 }

def weighed [n] (r: {g: [n]i32 -> i32, k: i64}) : [n]i32 -> i64 =
  \xs -> i64.i32 (r.g xs) + n * r.k

def main [n] (xs: [n]i32) : i64 = weighed {g = \ys -> i32.sum ys, k = 1} xs

-- ==
-- entry: kept
-- input { [3, -1, 4] } output { 2i64 }
-- input { [-3] } output { 0i64 }

def count [n] : [n]i32 -> i64 = \_ -> n

entry kept (xs: []i32) : i64 = let positive = filter (> 0) xs in count positive

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6]] 10i64 } output { [[11i64, 12i64], [13i64, 14i64], [15i64, 16i64]] 2i64 }
-- input { empty([0][1]i32) 1i64 } output { empty([0][1]i64) 1i64 }

def shifted [n] (by: i64) : [n]i32 -> {row: [n]i64, length: i64} =
  let twice = assert (by > 0) (2 * by)
  in \xs -> {row = map (\x -> i64.i32 x + twice - by) xs, length = n}

entry rows [n] [m] (xss: [n][m]i32) (k: i64) : ([n][m]i64, i64) =
  let f xs = shifted k xs
  let g [l] (h: i64 -> [l]i32 -> i64) : i64 -> [l]i32 -> i64 = \i ys -> h i ys * l
  let last = g (\_ _ -> 1) k (replicate m 0)
  in (map (\xs -> (f xs).row) xss, last)
