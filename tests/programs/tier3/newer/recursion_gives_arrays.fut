-- A definition whose result has a size with a name may call itself at its end: its loop has it, too.
-- Recursion: Futhark 0.25 has none.
-- ==
-- entry: sums
-- input { [5i64, 2i64] 3i64 } output { [11i64, 8i64] [11f32, 8f32] 0i64 }
-- input { [-5i64] 0i64 } output { [-5i64] [-5f32] 0i64 }
-- input { empty([0]i64) 1i64 } output { empty([0]i64) empty([0]f32) 0i64 }

-- ==
-- entry: turned
-- input { [[1i64, 2i64], [3i64, 4i64]] 3i64 } output { [[1i64, 3i64], [2i64, 4i64]] }
-- input { [[7i64]] 2i64 } output { [[7i64]] }

-- ==
-- entry: counted
-- input { [0i64, 0i64, 0i64] } output { [1i64, 2i64, 3i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

-- ==
-- entry: each
-- input { [1i64, 2i64] [2i64, 0i64, 1i64] } output { [[4i64, 5i64], [1i64, 2i64], [2i64, 3i64]] }

-- ==
-- entry: totals
-- input { [1i64, 2i64, 3i64] [0i64, 0i64, 0i64] } output { [6i64, 6i64, 6i64] }
-- input { [-1i64] [5i64] } output { [4i64] }
-- input { [-1i64] empty([0]i64) } output { empty([0]i64) }

def add [n] (xs: [n]i64) (i: i64) : ([n]i64, [n]f32, i64) =
  if i == 0 then (xs, map f32.i64 xs, i) else add (map (+ i) xs) (i - 1)

entry sums (xs: []i64) (i: i64) = add xs i

def turn [n] (xs: [n][n]i64) (i: i64) : [n][n]i64 = if i == 0 then xs else turn (transpose xs) (i - 1)

entry turned [n] (xs: [n][n]i64) (i: i64) = turn xs i

def count [n] (i: i64) (xs: *[n]i64) : *[n]i64 =
  if i == n then xs else count (i + 1) (xs with [i] = i + 1)

entry counted [n] (xs: *[n]i64) = count 0 xs

def plus [n] (xs: [n]i64) (i: i64) : [n]i64 = if i == 0 then xs else plus (map (+ i) xs) (i - 1)

entry each [n] (xs: [n]i64) (is: []i64) : [][n]i64 = map (plus xs) is

def total [n] (k: i64) (xs: [n]i64) (sums: [k]i64) (i: i64) : [k]i64 =
  if i == n then sums else total k xs (map (+ xs[i]) sums) (i + 1)

entry totals [n][k] (xs: [n]i64) (ys: [k]i64) : [k]i64 = total k xs ys 0
