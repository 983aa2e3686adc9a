-- A parameter that is updated before it is known whether the recursion ends.
-- Recursion: Futhark 0.25 has none.
-- ==
-- entry: filled
-- input { [1i64, 2i64, 3i64] } output { 203i64 }
-- input { [1i64] } error: Index
-- input { empty([0]i64) } error: Index

def fill [n] (i: i64) (xs: *[n]i64) : i64 =
  let xs = xs with [i] = 100
  in if i >= 1 then i64.sum xs else fill (i + 1) xs

entry filled [n] (xs: *[n]i64) : i64 = fill 0 xs

-- ==
-- entry: until_three
-- input { [1i64, 2i64, 5i64, 7i64] } output { 1i64 17i64 }
-- input { [8i64, 0i64, 2i64] } output { 2i64 13i64 }
-- input { [0i64, 2i64] } output { 1i64 4i64 }
-- input { [0i64] } error: Index

-- The condition needs what was written.
def count [n] (i: i64) (xs: *[n]i64) : (i64, i64) =
  let xs = xs with [i] = xs[i] + 1
  let y = xs[i]
  in if y == 3 then (i, i64.sum xs) else count (i + 1) xs

entry until_three [n] (xs: *[n]i64) : (i64, i64) = count 0 xs

-- ==
-- entry: two_ways_on
-- input { [0i64, 0i64, 0i64, 0i64, 0i64] 1i64 } output { 5i64 0i64 }
-- input { [0i64, 0i64, 0i64, 0i64, 0i64] 2i64 } output { 3i64 2i64 }

def strided [n] (i: i64) (s: i64) (skipped: i64) (xs: *[n]i64) : (i64, i64) =
  let xs = xs with [i] = 1
  let two = xs[i] + xs[0]
  in if i + s >= n then (i64.sum xs, skipped + two - 2)
     else if s == 1 then strided (i + 1) s skipped xs
     else strided (i + s) s (skipped + s - 1) xs

entry two_ways_on [n] (xs: *[n]i64) (s: i64) : (i64, i64) = strided 0 s 0 xs
