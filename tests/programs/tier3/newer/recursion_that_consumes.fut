-- A tail call may follow an update of its parameter, and so may an end without one.
-- ==
-- entry: first
-- input { [1i64, 2i64, 3i64] } output { 100i64 }

-- ==
-- entry: all
-- input { [1i64, 2i64, 3i64] } output { [10i64, 11i64, 12i64] }
-- input { [5i64] } output { [10i64] }

-- ==
-- entry: other
-- input { [1i64, 2i64, 3i64] } output { [7i64, 4i64, 6i64] [2i64, 3i64, 3i64] }

def f [n] (i: i64) (xs: *[n]i64) : i64 =
  let xs = xs with [i] = 100
  in if i > 1 then xs[0] else f (i + 1) xs

def fill [n] (i: i64) (xs: *[n]i64) : []i64 =
  let xs = xs with [i] = i + 10
  in if i + 1 >= n then xs else fill (i + 1) xs

def both [n] (i: i64) (xs: *[n]i64) (ys: *[n]i64) : ([]i64, []i64) =
  let xs = xs with [i] = xs[i] + ys[i]
  in if i + 1 == n then (xs with [0] = 7, ys)
     else let ys = ys with [i] = ys[i] + 1 in both (i + 1) xs (ys with [i + 1] = i + 2)

entry first [n] (xs: *[n]i64) : i64 = f 0 xs
entry all [n] (xs: *[n]i64) : []i64 = fill 0 xs
entry other [n] (xs: *[n]i64) : ([]i64, []i64) = both 0 xs (copy xs)
