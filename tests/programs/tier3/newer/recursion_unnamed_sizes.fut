-- Recursion with array parameters whose sizes have no names: each call may pass other ones.
-- ==
-- input { [5i64, 7i64] 3i64 } output { 15i64 }
-- input { [-5i64] 1i64 } output { -5i64 }
-- input { empty([0]i64) 0i64 } output { 0i64 }

def firsts (xs: []i64) (i: i64) : i64 = if i == 0 then 0 else xs[0] + firsts xs (i - 1)

def main (xs: []i64) (i: i64) : i64 = firsts xs i

-- ==
-- entry: after
-- input { [5i64, 7i64, -2i64] 2i64 } output { 1i64 [7i64, 9i64, 0i64] }
-- input { [5i64] 1i64 } output { 0i64 [6i64] }
-- input { empty([0]i64) 0i64 } output { 0i64 empty([0]i64) }

def left (xs: []i64) (i: i64) : i64 =
  if i == 0 then length xs else left xs[1:] (i - 1)

def more (xs: []i64) (i: i64) : []i64 = if i == 0 then xs else more (map (+ 1) xs) (i - 1)

entry after (xs: []i64) (i: i64) : (i64, []i64) = (left xs i, more xs i)

-- ==
-- entry: both
-- input { [[1i64, 2i64], [3i64, 4i64]] [10i64, 20i64, 30i64] 3i64 } output { 13i64 }
-- input { [[-1i64]] [10i64] 0i64 } output { 10i64 }

def total (xss: [][]i64) (ys: []i64) (i: i64) : i64 =
  if i <= 0 then ys[0] else xss[i % 2, 0] + total xss ys (i - 3)

entry both (xss: [][]i64) (ys: []i64) (i: i64) : i64 = total xss ys i
