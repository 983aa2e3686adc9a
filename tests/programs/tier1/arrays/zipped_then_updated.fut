-- zip gives an array that shares nothing: it may be updated while its operands are still read, and the other way round.
-- ==
-- entry: operands_are_read
-- input { 3i64 } output { 15i64 }
-- input { 1i64 } output { 15i64 }

-- ==
-- entry: with_itself
-- input { 3i64 } output { [0i64, 21i64, 4i64] }
-- input { 2i64 } output { [0i64, 21i64] }

-- ==
-- entry: operand_is_updated
-- input { 2i64 } output { [0i64, 1i64] [9i64, 1i64] }

-- ==
-- entry: in_a_branch
-- input { 2i64 true } output { 8i64 }
-- input { 2i64 false } output { 1i64 }

-- ==
-- entry: in_a_loop
-- input { 3i64 } output { [1i64, 3i64, 5i64] [0i64, 1i64, 2i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }

-- ==
-- entry: scattered
-- input { 3i64 } output { [7i64, 1i64, 2i64] [0i64, 1i64, 2i64] }

entry operands_are_read (n: i64) : i64 =
  let xs = map (\i -> i * i) (iota n)
  let ps = zip xs (iota n)
  let ps = ps with [0] = (7, 8)
  in xs[0] + ps[0].0 + ps[0].1

entry with_itself (n: i64) : []i64 =
  let xs = iota n
  let ps = zip xs xs
  let ps = ps with [1] = (10, 11)
  in map (\(x, y) -> x + y) ps

entry operand_is_updated (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = zip xs (replicate n true)
  let xs = xs with [0] = 9
  in (map (.0) ps, xs)

entry in_a_branch (n: i64) (c: bool) : i64 =
  let xs = iota n
  let ps = zip xs xs
  let qs = if c then ps with [0] = (3, 4) else ps
  in qs[0].0 + qs[0].1 + xs[1]

entry in_a_loop (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = loop ps = zip xs (map (+ 1) xs) for i < n do
             ps with [i] = (ps[i].0 + ps[i].1, 0)
  in (map (\(x, y) -> x + y) ps, xs)

entry scattered (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = scatter (zip xs xs) [0] [(7, 7)]
  in (map (.1) ps, xs)
